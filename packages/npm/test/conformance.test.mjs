// Cases as tests, registered with a function that keeps them.

import assert from "node:assert/strict";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";

import { conformance, startReferenceAgent } from "a2aspec";

/** @type {import("a2aspec").ReferenceAgent} */
let agent;
before(async () => (agent = await startReferenceAgent({ version: "1.0", fault: ["get/other-task", "get/bad-id-is-internal"] })));
after(() => agent.stop());

/**
 * Registers the cases of reading over one binding, and runs them: name, and what came of each.
 * @param {Partial<import("a2aspec").ConformanceOptions>} options
 * @returns {Promise<Map<string, string>>}
 */
async function outcomes(options) {
  /** @type {[string, (context: any) => Promise<void>][]} */
  const registered = [];
  const target = ["--only", "get", "--binding", "jsonrpc", "--timeout", "60"];
  await conformance((name, run) => registered.push([name, run]), { url: agent.url, arguments: target, ...options });
  const outcomes = new Map();
  for (const [name, run] of registered) {
    let outcome = "pass";
    const context = {
      skip: (/** @type {string} */ reason) => (outcome = `skip: ${reason}`),
      diagnostic: (/** @type {string} */ text) => (outcome = `diagnostic: ${text}`),
    };
    await run(context).catch((error) => (outcome = error.stack));
    outcomes.set(name, outcome);
  }
  return outcomes;
}

test("each case is a test with its evidence", async () => {
  const found = await outcomes({});
  assert.equal(found.get("get/unknown-id (A2A 1.0, jsonrpc)"), "pass");
  const lines = found.get("get/existing (A2A 1.0, jsonrpc)")?.split("\n") ?? [];
  for (const shown of [
    /^Violation: `\/id` in the response to GetTask is "fresh-\d+", expected "task-\d+"$/,
    /^  requires  1\.0-3\.1\.3-1 \(MUST, section 3\.1\.3\)$/,
    /^  request   POST http:.*\/1\.0 \(exchange \d+\)$/,
    /^            \{"jsonrpc":"2\.0",.*"method":"GetTask"/,
    /^  response  HTTP 200 after \d+ ms$/,
    /^            \{"jsonrpc":"2\.0",.*"result":\{"id":"fresh-/,
    /^  fix       /,
    /^  rerun     a2aspec check .* --only get\/existing --profile 1\.0 --binding jsonrpc$/,
  ])
    assert.ok(lines.some((line) => shown.test(line)), `${shown} in\n${lines.join("\n")}`);
  assert.match(found.get("get/artifacts (A2A 1.0, jsonrpc)") ?? "", /^skip: unreached: /);
  assert.match(found.get("get/missing-id (A2A 1.0, jsonrpc)") ?? "", /^diagnostic: warn: /);
});

test("a baseline and a level change what fails", async () => {
  const baseline = join(await mkdtemp(join(tmpdir(), "a2aspec-")), "known.yaml");
  const entry = (/** @type {string} */ id) => `- {case: ${id}, profile: "1.0", binding: jsonrpc, violated: [/id], reason: ticket 12}\n`;
  await writeFile(baseline, `known:\n${entry("get/existing")}${entry("get/unknown-id")}`);
  const found = await outcomes({ baseline, failOn: "should" });
  assert.equal(found.get("get/existing (A2A 1.0, jsonrpc)"), "skip: known failure: ticket 12");
  assert.match(found.get("get/unknown-id (A2A 1.0, jsonrpc)") ?? "", /known\.yaml lists a failure that no longer occurs/);
  assert.match(found.get("get/missing-id (A2A 1.0, jsonrpc)") ?? "", /^Violation: /);
});

test("an agent that cannot be reached is an error", async () => {
  await assert.rejects(outcomes({ url: "http://127.0.0.1:1" }), /cannot be reached/);
});
