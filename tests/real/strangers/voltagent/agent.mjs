// An agent for A2A 0.2.5 on the published packages of VoltAgent, over JSON-RPC.
//
// Written as their documentation shows: an agent with a model, an A2A server, and VoltAgent with its server on Hono. The model is
// the mock of the AI SDK, which does what the first word of a message asks for, as far as a model can.

import { createServer } from 'node:net';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { port: { type: 'string', default: '0' }, 'end-with-stdin': { type: 'boolean', default: false } },
});
// Whoever started the agent is gone, however it went.
if (values['end-with-stdin']) process.stdin.on('end', () => process.exit(0)).resume();

// In development it asks a registry of models in the network.
process.env.NODE_ENV = 'production';
// Its banner is for people.
console.log = console.error;

const { Agent, VoltAgent } = await import('@voltagent/core');
const { A2AServer } = await import('@voltagent/a2a-server');
const { honoServer } = await import('@voltagent/server-hono');
const { MockLanguageModelV3 } = await import('ai/test');

const usage = { inputTokens: { total: 1, noCache: 1 }, outputTokens: { total: 1, text: 1 } };
const finishReason = { unified: 'stop', raw: 'stop' };

function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

function triggerOf(prompt) {
  // The frameworks drop messages without a text.
  const { content = [] } = prompt.filter(({ role }) => role === 'user').at(-1) ?? {};
  const trigger = content.map(({ text }) => text ?? '').join(' ').trim().split(/\s+/)[0];
  if (trigger === 'fail') throw new Error('it went wrong');
  return trigger;
}

function textsOf(trigger) {
  if (trigger === 'slow') return Array.from({ length: 15 }, (_, number) => `chunk ${number}\n`);
  if (trigger === 'chunks') return [0, 1, 2, 3].map((number) => `part ${number} `);
  return ['done'];
}

const model = new MockLanguageModelV3({
  doGenerate: async ({ prompt, abortSignal }) => {
    if (triggerOf(prompt) === 'slow') await pause(3000, abortSignal);
    return { content: [{ type: 'text', text: 'done' }], finishReason, usage, warnings: [] };
  },
  doStream: async ({ prompt, abortSignal }) => {
    const trigger = triggerOf(prompt);
    async function* events() {
      yield { type: 'stream-start', warnings: [] };
      yield { type: 'text-start', id: '1' };
      for (const delta of textsOf(trigger)) {
        if (trigger === 'slow') await pause(200, abortSignal);
        yield { type: 'text-delta', id: '1', delta };
      }
      yield { type: 'text-end', id: '1' };
      yield { type: 'finish', finishReason, usage };
    }
    return { stream: ReadableStream.from(events()) };
  },
});

// It takes no 0 for "any free port".
function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

const port = Number(values.port) || (await freePort());
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
