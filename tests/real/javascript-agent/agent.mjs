// An agent for A2A 0.3 on the published JavaScript SDK (@a2a-js/sdk 0.3.x).
//
// Written as the SDK's documentation shows, without any workaround: it is here to show how the SDK really behaves under
// the suite. One request handler serves JSON-RPC, HTTP+JSON and gRPC, each through the SDK's own handler.

import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

import express from 'express';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { AGENT_CARD_PATH } from '@a2a-js/sdk';
import { DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import { A2AService, grpcService } from '@a2a-js/sdk/server/grpc';

import { TriggeredExecutor, TRIGGERS, TRIGGERS_EXTENSION } from './executor.mjs';

const HOST = '127.0.0.1';
const REST_PATH = '/rest';

function agentCard(http, grpc) {
  return {
    name: 'JavaScript SDK agent, A2A 0.3',
    description: 'Does what the first word of a message asks for.',
    version: '1.0.0',
    protocolVersion: '0.3.0',
    url: `${http}/`,
    preferredTransport: 'JSONRPC',
    additionalInterfaces: [
      { url: `${http}/`, transport: 'JSONRPC' },
      { url: `${http}${REST_PATH}`, transport: 'HTTP+JSON' },
      { url: grpc, transport: 'GRPC' },
    ],
    capabilities: {
      streaming: true,
      pushNotifications: false,
      extensions: [
        {
          uri: TRIGGERS_EXTENSION,
          description: 'How to bring this agent into each task state.',
          required: false,
          params: Object.fromEntries(TRIGGERS.map((trigger) => [trigger, { text: trigger }])),
        },
      ],
    },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain', 'application/json', 'application/octet-stream'],
    skills: [
      {
        id: 'triggers',
        name: 'Triggers',
        description: 'Brings a task into the state that the first word names.',
        tags: ['test'],
        examples: TRIGGERS,
      },
    ],
  };
}

// Where something listens is known before the card is made, so the ports come first.
function listening(server, port) {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => resolve(server.address().port));
  });
}

function bound(server) {
  return new Promise((resolve, reject) => {
    const done = (error, port) => (error ? reject(error) : resolve(port));
    server.bindAsync(`${HOST}:0`, ServerCredentials.createInsecure(), done);
  });
}

const { values } = parseArgs({
  options: { port: { type: 'string', default: '0' }, 'end-with-stdin': { type: 'boolean', default: false } },
});
const end = () => process.exit(0);
process.on('SIGTERM', end);
process.on('SIGINT', end);
if (values['end-with-stdin']) {
  // Whoever started the agent is gone, however it went.
  process.stdin.on('end', end).resume();
}

const app = express();
const http = createServer(app);
const url = `http://${HOST}:${await listening(http, Number(values.port))}`;

// The service can be added only before the port is known, and needs the handler, which needs the card.
const card = agentCard(url, '');
const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), new TriggeredExecutor());
const served = { requestHandler, userBuilder: UserBuilder.noAuthentication };
const grpc = new Server();
grpc.addService(A2AService, grpcService(served));
card.additionalInterfaces[2].url = `${HOST}:${await bound(grpc)}`;

app.use(`/${AGENT_CARD_PATH}`, agentCardHandler({ agentCardProvider: requestHandler }));
app.use(REST_PATH, restHandler(served));
app.use('/', jsonRpcHandler(served));
console.log(`listening on ${url}`);
