// How an agent is put together, which is the same in 0.3 and 1.0: one request handler behind the SDK's own handler of each binding.

import { userBuilders } from './securing.mjs';

export const REST_PATH = '/rest';

// Adds an agent to the application and to the server of gRPC. `sdk` has what the SDK exports, and `told` is what the agent is told
// to do.
export function mount(sdk, { app, grpc, told, card, extendedCard, executor }) {
  const configs = told.push ? new sdk.InMemoryPushNotificationStore() : undefined;
  const requestHandler = new sdk.DefaultRequestHandler(
    card,
    new sdk.InMemoryTaskStore(),
    executor,
    undefined,
    configs,
    configs && new sdk.DefaultPushNotificationSender(configs),
    told.users.size > 0 ? extendedCard : undefined,
  );
  const { overHttp, overGrpc } = userBuilders(told.users, sdk.UserBuilder.noAuthentication);
  const served = { requestHandler, userBuilder: overHttp };
  grpc.addService(sdk.A2AService, sdk.grpcService({ requestHandler, userBuilder: overGrpc }));
  app.use(`/${sdk.AGENT_CARD_PATH}`, sdk.agentCardHandler({ agentCardProvider: requestHandler }));
  app.use(REST_PATH, sdk.restHandler(served));
  app.use('/', sdk.jsonRpcHandler(served));
}
