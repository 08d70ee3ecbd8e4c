// An agent for A2A 1.0 on the published JavaScript SDK (@a2a-js/sdk 1.x).
//
// Written as the SDK's documentation shows, without any workaround: it is here to show how the SDK really behaves under
// the suite. One request handler serves JSON-RPC, HTTP+JSON and gRPC, each through the SDK's own handler.

import * as sdk from '@a2a-js/sdk-1';
import * as server from '@a2a-js/sdk-1/server';
import * as express from '@a2a-js/sdk-1/server/express';
import * as grpcServer from '@a2a-js/sdk-1/server/grpc';

import { EXTENSION, SKILL } from './actions.mjs';
import { TriggeredExecutor } from './executor_1_0.mjs';
import { REST_PATH, mount } from './mounting.mjs';
import { SCHEME } from './securing.mjs';
import { serve } from './serving.mjs';

function agentCard(http, { push, users }) {
  const at = (url, protocolBinding) => ({ url, protocolBinding, protocolVersion: '1.0' });
  return sdk.AgentCard.fromJSON({
    name: 'JavaScript SDK agent, A2A 1.0',
    description: 'Does what the first word of a message asks for.',
    version: '1.0.0',
    supportedInterfaces: [at(`${http}/`, 'JSONRPC'), at(`${http}${REST_PATH}`, 'HTTP+JSON'), at('', 'GRPC')],
    capabilities: {
      streaming: true,
      pushNotifications: push,
      extendedAgentCard: users.size > 0,
      extensions: [EXTENSION],
    },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain', 'application/json', 'application/octet-stream'],
    skills: [SKILL],
    ...(users.size > 0 && {
      securitySchemes: { token: { httpAuthSecurityScheme: { scheme: SCHEME } } },
      securityRequirements: [{ schemes: { token: { list: [] } } }],
    }),
  });
}

// What users see beside: the SDK shows it to those alone who have shown who they are.
function extendedCard(card) {
  return { ...card, skills: [...card.skills, { ...card.skills[0], id: 'triggers-of-users', name: 'Triggers of users' }] };
}

await serve((app, url, grpc, told) => {
  const card = agentCard(url, told);
  const parts = { ...sdk, ...grpcServer, ...server, ...express };
  mount(parts, { app, grpc, told, card, extendedCard: extendedCard(card), executor: new TriggeredExecutor() });
  return (address) => {
    card.supportedInterfaces[2].url = address;
  };
});
