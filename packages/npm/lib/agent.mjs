// The reference agent as a test double.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

import { program } from "./locate.mjs";

/** How long the agent may take to end before it is killed, in milliseconds. */
const PATIENCE = 5_000;

/** @type {typeof import("../index.d.ts").startReferenceAgent} */
export async function startReferenceAgent(options = {}) {
  const faults = [options.fault ?? []].flat().flatMap((fault) => ["--fault", fault]);
  const version = options.version === undefined ? [] : ["--only", options.version];
  const child = spawn(program(), ["agent", "--port", "0", ...version, ...faults, ...(options.arguments ?? [])], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "close");
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text) => (errors += text));
  const lines = createInterface({ input: child.stdout });
  const [first] = await Promise.race([once(lines, "line"), ended.then(() => [""])]);
  const url = /https?:\/\/\S+/.exec(String(first))?.[0].replace(/\/$/, "");
  if (url === undefined) throw new Error(`the reference agent did not start: ${errors.trim()}`);
  // A test that forgets to stop the agent ends all the same, and the agent with it.
  const kill = () => void child.kill("SIGKILL");
  process.once("exit", kill);
  child.unref();
  for (const stream of [child.stdout, child.stderr]) /** @type {import("node:net").Socket} */ (stream).unref();
  const stop = async () => {
    child.ref();
    child.kill();
    const late = setTimeout(kill, PATIENCE);
    await ended;
    clearTimeout(late);
    process.off("exit", kill);
  };
  return { url, stop, [Symbol.asyncDispose]: stop };
}
