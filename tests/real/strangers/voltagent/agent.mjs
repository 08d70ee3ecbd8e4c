// An agent for A2A 0.2.5 on the published packages of VoltAgent, over JSON-RPC.
//
// Written as their documentation shows: an agent with a model, an A2A server, and VoltAgent with its server on Hono. The model is
// the mock of the AI SDK, which does what the first word of a message asks for, as far as a model can.

import { createServer } from 'node:net';

import { callsOfModel, portOfArguments } from '../model.mjs';

const wanted = portOfArguments();

// In development it asks a registry of models in the network.
process.env.NODE_ENV = 'production';
// Its banner is for people.
console.log = console.error;

const { Agent, VoltAgent } = await import('@voltagent/core');
const { A2AServer } = await import('@voltagent/a2a-server');
const { honoServer } = await import('@voltagent/server-hono');
const { MockLanguageModelV3 } = await import('ai/test');

const model = new MockLanguageModelV3(
  callsOfModel({
    slowSteps: 15,
    usage: { inputTokens: { total: 1, noCache: 1 }, outputTokens: { total: 1, text: 1 } },
    finishReason: { unified: 'stop', raw: 'stop' },
  }),
);

// It takes no 0 for "any free port".
function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

const port = wanted || (await freePort());
const agent = new Agent({
  id: 'triggers',
  name: 'triggers',
  purpose: 'Does what the first word of a message asks for.',
  instructions: 'Do what the first word of the message asks for.',
  model,
  memory: false,
  maxRetries: 0,
});
const volt = new VoltAgent({
  agents: { triggers: agent },
  a2aServers: { triggers: new A2AServer({ name: 'triggers', version: '1.0.0' }) },
  server: honoServer({ port, hostname: '127.0.0.1' }),
});
await volt.ready;
const url = `http://127.0.0.1:${port}`;
while (!(await fetch(url).then(() => true, () => false)));
process.stdout.write(`listening on ${url}\n`);
