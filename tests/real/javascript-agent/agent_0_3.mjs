// An agent for A2A 0.3 on the published JavaScript SDK (@a2a-js/sdk 0.3.x).
//
// Written as the SDK's documentation shows, without any workaround: it is here to show how the SDK really behaves under
// the suite. One request handler serves JSON-RPC, HTTP+JSON and gRPC, each through the SDK's own handler.

import { AGENT_CARD_PATH } from '@a2a-js/sdk';
import { DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import { A2AService, grpcService } from '@a2a-js/sdk/server/grpc';

import { EXTENSION, SKILL } from './actions.mjs';
import { TriggeredExecutor } from './executor_0_3.mjs';
import { serve } from './serving.mjs';

const REST_PATH = '/rest';

function agentCard(http) {
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
    capabilities: { streaming: true, pushNotifications: false, extensions: [EXTENSION] },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain', 'application/json', 'application/octet-stream'],
    skills: [SKILL],
  };
}

await serve((app, url, grpc) => {
  const card = agentCard(url);
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), new TriggeredExecutor());
  const served = { requestHandler, userBuilder: UserBuilder.noAuthentication };
  grpc.addService(A2AService, grpcService(served));
  app.use(`/${AGENT_CARD_PATH}`, agentCardHandler({ agentCardProvider: requestHandler }));
  app.use(REST_PATH, restHandler(served));
  app.use('/', jsonRpcHandler(served));
  return (address) => {
    card.additionalInterfaces[2].url = address;
  };
});
