// An agent for A2A 0.3 on the published JavaScript SDK (@a2a-js/sdk 0.3.x).
//
// Written as the SDK's documentation shows, without any workaround: it is here to show how the SDK really behaves under
// the suite. One request handler serves JSON-RPC, HTTP+JSON and gRPC, each through the SDK's own handler.

import * as sdk from '@a2a-js/sdk';
import * as server from '@a2a-js/sdk/server';
import * as express from '@a2a-js/sdk/server/express';
import * as grpcServer from '@a2a-js/sdk/server/grpc';

import { EXTENSION, SKILL } from './actions.mjs';
import { TriggeredExecutor } from './executor_0_3.mjs';
import { REST_PATH, mount } from './mounting.mjs';
import { SCHEME } from './securing.mjs';
import { serve } from './serving.mjs';

function agentCard(http, { push, users }) {
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
      { url: '', transport: 'GRPC' },
    ],
    capabilities: { streaming: true, pushNotifications: push, extensions: [EXTENSION] },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain', 'application/json', 'application/octet-stream'],
    skills: [SKILL],
    ...(users.size > 0 && {
      supportsAuthenticatedExtendedCard: true,
      securitySchemes: { token: { type: 'http', scheme: SCHEME } },
      security: [{ token: [] }],
    }),
  };
}

// What users see beside: the SDK shows it to those alone who have shown who they are.
function extendedCard(card) {
  return { ...card, skills: [...card.skills, { ...SKILL, id: 'triggers-of-users', name: 'Triggers of users' }] };
}

await serve((app, url, grpc, told) => {
  const card = agentCard(url, told);
  const parts = { ...sdk, ...grpcServer, ...server, ...express };
  mount(parts, { app, grpc, told, card, extendedCard: extendedCard(card), executor: new TriggeredExecutor() });
  return (address) => {
    card.additionalInterfaces[2].url = address;
  };
});
