// An agent for A2A 0.3 on the published packages of Mastra, over JSON-RPC.
//
// Written as their documentation shows: an agent with a model, Mastra, and its server on Hono. The model is one by the interface of
// the AI SDK, which does what the first word of a message asks for, as far as a model can.

import { parseArgs } from 'node:util';

import { serve } from '@hono/node-server';
import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { MastraServer } from '@mastra/hono';
import { InMemoryTaskStore } from '@mastra/server/a2a/store';
import { Hono } from 'hono';

const { values } = parseArgs({
  options: { port: { type: 'string', default: '0' }, 'end-with-stdin': { type: 'boolean', default: false } },
});
// Whoever started the agent is gone, however it went.
if (values['end-with-stdin']) process.stdin.on('end', () => process.exit(0)).resume();

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };

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

// Five seconds of work and not three: it takes its time over each of many requests at once.
function textsOf(trigger) {
  if (trigger === 'slow') return Array.from({ length: 25 }, (_, number) => `chunk ${number}\n`);
  if (trigger === 'chunks') return [0, 1, 2, 3].map((number) => `part ${number} `);
  return ['done'];
}

const model = {
  specificationVersion: 'v2',
  provider: 'triggers',
  modelId: 'triggers',
  supportedUrls: {},
  async doGenerate({ prompt, abortSignal }) {
    if (triggerOf(prompt) === 'slow') await pause(5000, abortSignal);
    return { content: [{ type: 'text', text: 'done' }], finishReason: 'stop', usage, warnings: [] };
  },
  async doStream({ prompt, abortSignal }) {
    const trigger = triggerOf(prompt);
    async function* events() {
      yield { type: 'stream-start', warnings: [] };
      yield { type: 'text-start', id: '1' };
      for (const delta of textsOf(trigger)) {
        if (trigger === 'slow') await pause(200, abortSignal);
        yield { type: 'text-delta', id: '1', delta };
      }
      yield { type: 'text-end', id: '1' };
      yield { type: 'finish', finishReason: 'stop', usage };
    }
    return { stream: ReadableStream.from(events()) };
  },
};

const agent = new Agent({
  id: 'triggers',
  name: 'triggers',
  description: 'Does what the first word of a message asks for.',
  instructions: 'Do what the first word of the message asks for.',
  model,
  maxRetries: 0,
});
const mastra = new Mastra({ agents: { triggers: agent }, logger: false });
const app = new Hono();
await new MastraServer({ app, mastra, taskStore: new InMemoryTaskStore() }).init();
serve({ fetch: app.fetch, port: Number(values.port), hostname: '127.0.0.1' }, ({ port }) => {
  console.log(`listening on http://127.0.0.1:${port}`);
});
