// Where the program is. Each platform has a package of its own, and npm installs the one that fits.

import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** @returns {string} the path of the program; `A2ASPEC_PROGRAM` names another one */
export function program() {
  const named = process.env.A2ASPEC_PROGRAM;
  if (named) return named;
  const name = `@a2aspec/${process.platform}-${process.arch}`;
  try {
    return require.resolve(`${name}/bin/a2aspec${process.platform === "win32" ? ".exe" : ""}`);
  } catch {
    throw new Error(`the package ${name} is not installed; install a2aspec again with optional dependencies, or build the program`);
  }
}
