// An agent for A2A 1.0 on the published JavaScript SDK (@a2a-js/sdk 1.x).
//
// Written as the SDK's documentation shows, without any workaround: it is here to show how the SDK really behaves under
// the suite. One request handler serves JSON-RPC, HTTP+JSON and gRPC, each through the SDK's own handler.

import { AGENT_CARD_PATH, AgentCard } from '@a2a-js/sdk-1';
import { DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk-1/server';
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk-1/server/express';
import { A2AService, grpcService } from '@a2a-js/sdk-1/server/grpc';

import { EXTENSION, SKILL } from './actions.mjs';
import { TriggeredExecutor } from './executor_1_0.mjs';
import { serve } from './serving.mjs';

const REST_PATH = '/rest';

function agentCard(http) {
  const at = (url, protocolBinding) => ({ url, protocolBinding, protocolVersion: '1.0' });
  return AgentCard.fromJSON({
    name: 'JavaScript SDK agent, A2A 1.0',
    description: 'Does what the first word of a message asks for.',
    version: '1.0.0',
    supportedInterfaces: [at(`${http}/`, 'JSONRPC'), at(`${http}${REST_PATH}`, 'HTTP+JSON'), at('', 'GRPC')],
    capabilities: { streaming: true, pushNotifications: false, extensions: [EXTENSION] },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain', 'application/json', 'application/octet-stream'],
    skills: [SKILL],
  });
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
    card.supportedInterfaces[2].url = address;
  };
});
