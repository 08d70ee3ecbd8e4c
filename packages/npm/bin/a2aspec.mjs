#!/usr/bin/env node
// Runs the program, with the arguments, the streams and the exit code of this process.

import { spawn } from "node:child_process";
import { constants } from "node:os";

import { program } from "../lib/locate.mjs";

try {
  const child = spawn(program(), process.argv.slice(2), { stdio: "inherit" });
  // The program ends a run by itself and writes its reports; this process waits for that. A terminal sends SIGINT to both.
  process.on("SIGINT", () => {});
  for (const signal of /** @type {NodeJS.Signals[]} */ (["SIGTERM", "SIGHUP"])) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => fail(error));
  child.on("close", (code, signal) => process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0)));
} catch (error) {
  fail(error);
}

/** @param {unknown} error */
function fail(error) {
  console.error(`error: ${error instanceof Error ? error.message : error}`);
  process.exit(4);
}
