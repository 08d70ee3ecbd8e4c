// An adapter of what the client in @a2a-js/sdk 1.x reads of A2A 1.0; FOLDER is where the package is installed:
//
//     a2aspec fuzz --kind task --profile 1.0 --parser 'node examples/parsers/a2a_sdk.mjs FOLDER task'

import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, kind] = process.argv.slice(2);
const require = createRequire(resolve(folder, "package.json"));
const { AgentCard, Message, StreamResponse, Task } = await import(pathToFileURL(require.resolve("@a2a-js/sdk")));
const type = { card: AgentCard, event: StreamResponse, message: Message, task: Task }[kind];

// As its transports do it: the body is JSON first, and then an object of the generated types.
const utf8 = new TextDecoder();

function answer(bytes) {
  let value;
  try {
    value = type.fromJSON(JSON.parse(utf8.decode(bytes)));
  } catch (error) {
    return JSON.stringify({ accepted: false, error: String(error) });
  }
  try {
    return JSON.stringify({ accepted: true, value: type.toJSON(value) });
  } catch {
    // Read, but as something that cannot be written.
    return JSON.stringify({ accepted: true });
  }
}

let waiting = Buffer.alloc(0);
process.stdin.on("data", (chunk) => {
  waiting = Buffer.concat([waiting, chunk]);
  let answers = "";
  while (waiting.length >= 4 && waiting.length >= 4 + waiting.readUInt32BE(0)) {
    const end = 4 + waiting.readUInt32BE(0);
    answers += answer(waiting.subarray(4, end)) + "\n";
    waiting = waiting.subarray(end);
  }
  process.stdout.write(answers);
});
