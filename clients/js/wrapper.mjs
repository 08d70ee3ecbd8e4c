// The JavaScript SDK (@a2a-js/sdk 1.x) as a wrapper for `a2aspec client`: its public client, and the contract's lines around it.
//
//     a2aspec client -- node clients/js/wrapper.mjs

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import * as sdk from '@a2a-js/sdk';
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory, ServiceParameters,
  createAuthenticatingFetchWithRetry, withA2AExtensions } from '@a2a-js/sdk/client';
import { A2AError, JsonRpcTransportError } from '@a2a-js/sdk/errors';

const { version } = JSON.parse(readFileSync(new URL('node_modules/@a2a-js/sdk/package.json', import.meta.url)));
// The method, what its request is read by, and what its result is written by.
const CALLS = {
  GetTask: ['getTask', sdk.GetTaskRequest, sdk.Task],
  ListTasks: ['listTasks', sdk.ListTasksRequest, sdk.ListTasksResponse],
  CancelTask: ['cancelTask', sdk.CancelTaskRequest, sdk.Task],
  CreateTaskPushNotificationConfig: ['createTaskPushNotificationConfig', sdk.TaskPushNotificationConfig, sdk.TaskPushNotificationConfig],
  GetTaskPushNotificationConfig: ['getTaskPushNotificationConfig', sdk.GetTaskPushNotificationConfigRequest, sdk.TaskPushNotificationConfig],
  ListTaskPushNotificationConfigs: ['listTaskPushNotificationConfig', sdk.ListTaskPushNotificationConfigsRequest, sdk.ListTaskPushNotificationConfigsResponse],
  DeleteTaskPushNotificationConfig: ['deleteTaskPushNotificationConfig', sdk.DeleteTaskPushNotificationConfigRequest],
};
const STREAMS = { SendStreamingMessage: ['sendMessageStream', sdk.SendMessageRequest], SubscribeToTask: ['resubscribeTask', sdk.SubscribeToTaskRequest] };
const DOES = ['resolve', 'client', 'verify', 'cancel-stream', 'close', 'SendMessage', 'GetExtendedAgentCard', ...Object.keys(CALLS), ...Object.keys(STREAMS)];

class Unsupported extends Error {}
class Usage extends Error {}
const cases = new Map();
const socket = connect(Number(process.env.A2ASPEC_WRAPPER.split(':').at(-1)), process.env.A2ASPEC_WRAPPER.slice(4).replace(/:\d+$/, '').replace(/[[\]]/g, ''));
const say = (answer) => socket.write(`${JSON.stringify(answer)}\n`);
const need = (map, name) => map.get(name) ?? (() => { throw new Usage(`no ${name}`); })();

const verifier = (keys) => {
  if (keys.some((key) => key.revoked || key.expires)) throw new Unsupported('the SDK leaves it to the application whether a key is still good');
  return sdk.verifyAgentCardSignature(async (kid) => need(new Map(keys.map(({ jwk }) => [jwk.kid, jwk])), kid));
};

function fetchWith(c) {
  const given = Object.values(c.auth ?? {});
  if (given.some((one) => !one.token)) throw new Unsupported('the SDK knows no schemes: the application makes the header of a token');
  const handler = { headers: async () => Object.fromEntries(given.map(({ token }) => ['Authorization', `Bearer ${token}`])), shouldRetryWithHeaders: async () => undefined };
  return given.length ? createAuthenticatingFetchWithRetry(fetch, handler) : fetch;
}

async function simple(c, kept) {
  if (c.trust?.length) throw new Unsupported('fetch has no certificates of its own');
  // The SDK resolves its path against the base as any URL is: without a slash at the end the last segment would go.
  const resolve = () => (c.url.endsWith('.json') ? kept.resolver.resolve(c.url, '') : kept.resolver.resolve(`${c.url}/`));
  if (c.do === 'resolve') {
    kept.cards.set(c.as, await resolve());
    return sdk.AgentCard.toJSON(kept.cards.get(c.as));
  }
  const card = c.card ? need(kept.cards, c.card) : await resolve();
  if (c.keys) await verifier(c.keys)(card);
  if (c.do === 'verify') return { verified: true };
  const transports = [new JsonRpcTransportFactory({ fetchImpl: fetchWith(c) }), new RestTransportFactory({ fetchImpl: fetchWith(c) })]
    .filter((one) => !c.bindings?.length || c.bindings.includes(one.protocolName));
  const client = await new ClientFactory({ transports, clientConfig: { acceptedOutputModes: c['output-modes'] } }).createFromAgentCard(card);
  kept.clients.set(c.as, { client, extensions: c.extensions ?? [] });
  return { binding: client.transport.protocolName, version: client.protocolVersion };
}

function request(c, type) {
  const made = type.fromJSON(c.with ?? {});
  if (made.message) Object.assign(made.message, { messageId: made.message.messageId || randomUUID(), role: made.message.role || sdk.Role.ROLE_USER });
  return made;
}

async function operate(c, kept, signal) {
  const { client, extensions } = need(kept.clients, c.client);
  const options = { signal, serviceParameters: extensions.length ? ServiceParameters.create(withA2AExtensions(extensions)) : undefined };
  if (c.do in STREAMS) return client[STREAMS[c.do][0]](request(c, STREAMS[c.do][1]), options);
  if (c.do === 'GetExtendedAgentCard') return sdk.AgentCard.toJSON(await client.getAgentCard(options));
  if (c.do === 'SendMessage') {
    const told = await client.sendMessage(request(c, sdk.SendMessageRequest), options);
    return 'messageId' in told ? { message: sdk.Message.toJSON(told) } : { task: sdk.Task.toJSON(told) };
  }
  const [method, type, result] = CALLS[c.do];
  const told = await client[method](request(c, type), options);
  return result ? result.toJSON(told) : {};
}

function failed(id, error, ended) {
  if (error instanceof Unsupported) return { say: 'unsupported', id, why: error.message };
  const name = error.constructor.name.replace(/^(JsonRpc|Rest)/, '');
  const kinds = [[ended, 'timeout'], [error instanceof Usage, 'usage'], [error instanceof A2AError, 'agent'], [/fetch failed|terminated|HTTP error/i.test(error.message), 'transport'],
    [error instanceof SyntaxError, 'unreadable'], [/No compatible transport|signature/i.test(error.message), 'refused']];
  const kind = kinds.find(([is]) => is)?.[1] ?? 'other';
  const told = kind === 'agent' && !(error instanceof JsonRpcTransportError) && name !== 'A2AError' && name !== 'RequestMalformedError';
  return { say: 'error', id, kind, code: error.envelopeCode ?? error.code ?? null, name: told ? name : null, message: `${error.constructor.name}: ${error.message}` };
}

async function perform(c, kept) {
  const abort = new AbortController();
  const streams = c.do in STREAMS;
  let ended = false;
  let timer;
  const wait = () => { clearTimeout(timer); timer = setTimeout(() => { ended = true; abort.abort(); }, c.limit); };
  const work = (async () => {
    wait();
    try {
      if (!streams) return { say: 'result', id: c.id, value: await (c.do in CALLS || /^[A-Z]/.test(c.do) ? operate(c, kept, abort.signal) : simple(c, kept)) };
      for await (const event of await operate(c, kept, abort.signal)) {
        wait();
        say({ say: 'event', id: c.id, value: sdk.StreamResponse.toJSON(event) });
      }
      return { say: 'end', id: c.id, by: abort.by ?? 'agent' };
    } catch (error) {
      return abort.by ? { say: 'end', id: c.id, by: abort.by } : failed(c.id, error, ended);
    } finally {
      clearTimeout(timer);
    }
  })().then(say);
  if (streams) kept.streams.set(c.id, async (by) => { abort.by = by; abort.abort(); await work; });
  await work;
}

async function control(c, kept) {
  if (c.do === 'cancel-stream') await kept.streams.get(c.stream)?.('cancel');
  else await Promise.all([...kept.streams.values()].map((stop) => stop('close')));
  say({ say: 'result', id: c.id, value: null });
}

say({ say: 'hello', contract: 1, token: process.env.A2ASPEC_WRAPPER_TOKEN, does: DOES, versions: ['1.0'], bindings: ['JSONRPC', 'HTTP+JSON'], sdk: { name: '@a2a-js/sdk', version } });
for await (const line of createInterface({ input: socket })) {
  const c = JSON.parse(line);
  if (!('id' in c)) continue;
  const kept = cases.get(c.case) ?? { cards: new Map(), clients: new Map(), streams: new Map(), resolver: new DefaultAgentCardResolver() };
  cases.set(c.case, kept);
  if (c.do === 'close') cases.delete(c.case);
  (c.do === 'close' || c.do === 'cancel-stream' ? control : perform)(c, kept);
}
process.exit(0);
