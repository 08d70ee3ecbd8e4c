// An adapter of JavaScript's JSON.parse: a2aspec fuzz --kind json --parser 'node examples/parsers/json_reader.mjs'.

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function answer(bytes) {
  let value;
  try {
    value = JSON.parse(utf8.decode(bytes));
  } catch (error) {
    return JSON.stringify({ accepted: false, error: String(error) });
  }
  try {
    return JSON.stringify({ accepted: true, value });
  } catch {
    // Read, but too deep to be written.
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
