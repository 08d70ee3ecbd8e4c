// An agent for A2A 0.3 on the published packages of Mastra, over JSON-RPC.
//
// Written as their documentation shows: an agent with a model, Mastra, and its server on Hono. The model is one by the interface of
// the AI SDK, which does what the first word of a message asks for, as far as a model can.

import { serve } from '@hono/node-server';
import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { MastraServer } from '@mastra/hono';
import { InMemoryTaskStore } from '@mastra/server/a2a/store';
import { Hono } from 'hono';

import { callsOfModel, portOfArguments } from '../model.mjs';

const port = portOfArguments();

const model = {
  specificationVersion: 'v2',
  provider: 'triggers',
  modelId: 'triggers',
  supportedUrls: {},
  // Five seconds of work and not three: it takes its time over each of many requests at once.
  ...callsOfModel({
    slowSteps: 25,
    usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
    finishReason: 'stop',
  }),
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
serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, (bound) => {
  console.log(`listening on http://127.0.0.1:${bound.port}`);
});
