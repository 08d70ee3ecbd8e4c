// The JavaScript SDK (@a2a-js/sdk 1.x) as a wrapper for `a2aspec client`, around its public client.
//
//     a2aspec client -- node clients/js/wrapper.mjs

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as sdk from '@a2a-js/sdk';
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory, ServiceParameters,
  createAuthenticatingFetchWithRetry, withA2AExtensions } from '@a2a-js/sdk/client';
import { A2AError, JsonRpcTransportError } from '@a2a-js/sdk/errors';
import { Unsupported, need, serve } from './contract.mjs';

const { version } = JSON.parse(readFileSync(new URL('node_modules/@a2a-js/sdk/package.json', import.meta.url)));
const Config = sdk.TaskPushNotificationConfig;
// The method, what its request is read by, and what its result is written by.
const CALLS = {
  SendMessage: ['sendMessage', sdk.SendMessageRequest, { toJSON: (told) => ('messageId' in told ? { message: sdk.Message.toJSON(told) } : { task: sdk.Task.toJSON(told) }) }],
  SendStreamingMessage: ['sendMessageStream', sdk.SendMessageRequest],
  SubscribeToTask: ['resubscribeTask', sdk.SubscribeToTaskRequest],
  GetTask: ['getTask', sdk.GetTaskRequest, sdk.Task],
  ListTasks: ['listTasks', sdk.ListTasksRequest, sdk.ListTasksResponse],
  CancelTask: ['cancelTask', sdk.CancelTaskRequest, sdk.Task],
  CreateTaskPushNotificationConfig: ['createTaskPushNotificationConfig', Config, Config],
  GetTaskPushNotificationConfig: ['getTaskPushNotificationConfig', sdk.GetTaskPushNotificationConfigRequest, Config],
  ListTaskPushNotificationConfigs: ['listTaskPushNotificationConfig', sdk.ListTaskPushNotificationConfigsRequest, sdk.ListTaskPushNotificationConfigsResponse],
  DeleteTaskPushNotificationConfig: ['deleteTaskPushNotificationConfig', sdk.DeleteTaskPushNotificationConfigRequest, { toJSON: () => ({}) }],
};

const verify = (card, keys) => {
  if (keys.some((key) => key.revoked || key.expires)) throw new Unsupported('the SDK leaves it to the application whether a key is still good');
  const known = new Map(keys.map(({ jwk }) => [jwk.kid, jwk]));
  return sdk.verifyAgentCardSignature(async (kid) => need(known, kid))(card);
};

function fetchWith(auth) {
  const given = Object.values(auth ?? {});
  if (given.some((one) => !one.token)) throw new Unsupported('the SDK knows no schemes: the application makes the header of a token');
  const handler = { headers: async () => ({ Authorization: `Bearer ${given[0].token}` }), shouldRetryWithHeaders: async () => undefined };
  return given.length ? createAuthenticatingFetchWithRetry(fetch, handler) : fetch;
}

// The SDK resolves its path against the base as any URL is: without a slash at the end the last segment would go.
const resolve = (url, { resolver }) => (url.endsWith('.json') ? resolver.resolve(url, '') : resolver.resolve(`${url}/`));

async function client(c, kept) {
  const card = c.card ? need(kept.cards, c.card) : await resolve(c.url, kept);
  if (c.keys) await verify(card, c.keys);
  const options = { fetchImpl: fetchWith(c.auth) };
  const transports = [new JsonRpcTransportFactory(options), new RestTransportFactory(options)].filter((one) => !c.bindings?.length || c.bindings.includes(one.protocolName));
  const made = await new ClientFactory({ transports, clientConfig: { acceptedOutputModes: c['output-modes'] } }).createFromAgentCard(card);
  kept.clients.set(c.as, [made, c.extensions ?? []]);
  return { binding: made.transport.protocolName, version: made.protocolVersion };
}

function call(c, kept, signal) {
  const [made, extensions] = need(kept.clients, c.client);
  const options = { signal, serviceParameters: extensions.length ? ServiceParameters.create(withA2AExtensions(extensions)) : undefined };
  if (c.do === 'GetExtendedAgentCard') return made.getAgentCard(options);
  const request = CALLS[c.do][1].fromJSON(c.with ?? {});
  if (request.message) Object.assign(request.message, { messageId: request.message.messageId || randomUUID(), role: request.message.role || sdk.Role.ROLE_USER });
  return made[CALLS[c.do][0]](request, options);
}

async function perform(c, kept, signal) {
  if (c.trust?.length) throw new Unsupported('fetch takes no certificates');
  if (c.do === 'resolve') kept.cards.set(c.as, await resolve(c.url, kept));
  if (c.do === 'resolve') return sdk.AgentCard.toJSON(kept.cards.get(c.as));
  if (c.do === 'client') return client(c, kept);
  if (c.do === 'verify') return verify(need(kept.cards, c.card), c.keys ?? []).then(() => ({ verified: true }));
  return (CALLS[c.do]?.[2] ?? sdk.AgentCard).toJSON(await call(c, kept, signal));
}

async function* events(c, kept, signal) {
  for await (const event of call(c, kept, signal)) yield sdk.StreamResponse.toJSON(event);
}

function error(thrown) {
  const name = thrown.constructor.name.replace(/^(JsonRpc|Rest)/, '');
  const alone = !(thrown instanceof JsonRpcTransportError) && name !== 'A2AError' && name !== 'RequestMalformedError';
  if (thrown instanceof A2AError) return { kind: 'agent', code: thrown.envelopeCode ?? thrown.code ?? null, name: alone ? name : null };
  if (thrown instanceof SyntaxError) return { kind: 'unreadable' };
  if (/fetch failed|terminated|HTTP error/i.test(thrown.message)) return { kind: 'transport' };
  return { kind: /No compatible transport|signature/i.test(thrown.message) ? 'refused' : 'other' };
}

const keep = () => ({ cards: new Map(), clients: new Map(), resolver: new DefaultAgentCardResolver() });
const does = ['resolve', 'client', 'verify', 'cancel-stream', 'close', 'GetExtendedAgentCard', ...Object.keys(CALLS)];
await serve({ hello: { does, versions: ['1.0'], bindings: ['JSONRPC', 'HTTP+JSON'], sdk: { name: '@a2a-js/sdk', version } }, keep, perform, events, error });
