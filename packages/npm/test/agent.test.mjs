// The reference agent as a test double.

import assert from "node:assert/strict";
import test from "node:test";

import { startReferenceAgent } from "a2aspec";

/**
 * Asks for a task over JSON-RPC, as a client would.
 * @param {string} url
 */
async function getTask(url) {
  const response = await fetch(`${url}/1.0`, {
    method: "POST",
    headers: { "content-type": "application/json", "a2a-version": "1.0" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "GetTask", params: { id: "none" } }),
  });
  return response.json();
}

/** @param {string} url */
const card = async (url) => (await fetch(`${url}/.well-known/agent-card.json`)).json();

test("an agent serves until it is stopped", async () => {
  const agent = await startReferenceAgent({ version: "1.0" });
  assert.equal((await card(agent.url)).name, "Reference agent");
  assert.equal((await getTask(agent.url)).error.code, -32001);
  await agent.stop();
  await agent.stop();
  await assert.rejects(card(agent.url));
});

test("a version, a fault and arguments reach the agent", async () => {
  const wrong = await startReferenceAgent({ version: "1.0", fault: "get/unknown-is-internal" });
  assert.equal((await getTask(wrong.url)).error.code, -32603);
  await wrong.stop();
  const old = await startReferenceAgent({ version: "0.3", arguments: ["--without", "streaming"] });
  const { protocolVersion, capabilities } = await card(old.url);
  assert.match(protocolVersion, /^0\.3/);
  assert.notEqual(capabilities.streaming, true);
  await old.stop();
});

test("an unknown fault is an error", async () => {
  await assert.rejects(startReferenceAgent({ fault: ["get/other-task", "none/such"] }), /there is no fault `none\/such`/);
});
