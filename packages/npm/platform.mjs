// Makes the package of one platform of a built program: node platform.mjs PROGRAM PLATFORM-ARCH FOLDER
//
// The folder gets package.json, README.md and the program; `npm pack FOLDER` makes the archive of it.

import { chmod, copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const [built, name, folder] = process.argv.slice(2);
const main = JSON.parse(await readFile(new URL("package.json", import.meta.url), "utf8"));
if (!built || !folder || !(`@a2aspec/${name}` in main.optionalDependencies)) {
  console.error("usage: node platform.mjs PROGRAM PLATFORM-ARCH FOLDER; package.json lists the platforms");
  process.exit(2);
}
const [os, cpu] = name.split("-");
const file = join(folder, "bin", os === "win32" ? "a2aspec.exe" : "a2aspec");
const { version, license } = main;
const made = { name: `@a2aspec/${name}`, version, description: `The program a2aspec for ${name}`, license, os: [os], cpu: [cpu] };
await mkdir(join(folder, "bin"), { recursive: true });
await writeFile(join(folder, "package.json"), `${JSON.stringify(made, null, 2)}\n`);
await writeFile(join(folder, "README.md"), `The program of the package a2aspec for ${name}.\n`);
await copyFile(built, file);
await chmod(file, 0o755);
