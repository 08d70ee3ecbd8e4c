// Signs cards and verifies signatures of cards by the utilities of @a2a-js/sdk 1.x.
//
//     node signatures.mjs FILE
//
// The file and the lines are those of ../python/signatures.py.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(new URL('1.0/package.json', import.meta.url));
const load = (name) => import(pathToFileURL(require.resolve(name)));
const { generateAgentCardSignature, verifyAgentCardSignature } = await load('@a2a-js/sdk');
const { importJWK } = await load('jose');

// The SDK says here why a signature does not hold; only whether it does is asked.
console.debug = () => {};

const asked = JSON.parse(await readFile(process.argv[2], 'utf8'));
const keys = Object.fromEntries(asked.keys.map((key) => [key.kid, key]));
const say = (line) => console.log(JSON.stringify(line));

const verify = verifyAgentCardSignature((kid) => {
  const { kty, crv, alg, n, e, x, y } = keys[kid];
  return importJWK({ kty, crv, alg, n, e, x, y });
});
// The cards are given as they came: of one in the SDK's own types, as `AgentCard.fromJSON` makes it, the canonical form of the SDK
// loses which kind each security scheme is.
for (const [name, card] of Object.entries(asked.verify)) {
  const saw = await verify(card).then(() => 'holds', (error) => error.message);
  say({ verified: name, saw });
}
for (const [name, [card, kid]] of Object.entries(asked.sign)) {
  const sign = generateAgentCardSignature(await importJWK(keys[kid]), { alg: kid, kid, typ: 'JOSE' });
  say({ signed: name, card: await sign(card) });
}
