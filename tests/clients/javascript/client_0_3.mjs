// The whole surface of the client in @a2a-js/sdk 0.3.x, over one interface of an agent.
//
//     node client_0_3.mjs URL VERSION BINDING

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

import { AUTHORIZED, WEBHOOK, all, fromTo, nameOfClass, step } from './steps.mjs';

// Each line of the SDK is installed in a folder of its own.
const require = createRequire(new URL('0.3/package.json', import.meta.url));
const load = (name) => import(pathToFileURL(require.resolve(name)));
const { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory } =
  await load('@a2a-js/sdk/client');
const { GrpcTransportFactory } = await load('@a2a-js/sdk/client/grpc');

const [url, , binding] = process.argv.slice(2);

// Errors that the SDK shows by their number.
const ERRORS = { [-32001]: 'TaskNotFoundError', [-32002]: 'TaskNotCancelableError', [-32602]: 'InvalidParamsError' };

const errorOf = (error) => {
  const code = error.errorResponse?.error.code;
  return code === undefined ? nameOfClass(error) : (ERRORS[code] ?? `JSON-RPC error ${code}`);
};

let card;
await step('card', async () => {
  card = await new DefaultAgentCardResolver().resolve(url);
  return card.name;
}, errorOf);
const factory = new ClientFactory({
  transports: [new JsonRpcTransportFactory(), new RestTransportFactory(), new GrpcTransportFactory()],
  preferredTransports: [binding],
});
const client = await factory.createFromAgentCard(card);

let number = 0;
const message = (text, members) => ({
  message: {
    kind: 'message',
    messageId: `message-${++number}`,
    role: 'user',
    parts: text ? [{ kind: 'text', text }] : [],
    ...members,
  },
});
const send = (text, members) => client.sendMessage(message(text, members), AUTHORIZED);
const config = ({ pushNotificationConfig: { id, url: address } }) => `${id} ${address}`;

let done;
let waiting;
await all({
  send: async () => {
    const task = await send('complete');
    done = task.id;
    return task.status.state;
  },
  'send-message': async () => (await send('message')).kind,
  stream: async () => {
    const seen = [];
    for await (const event of client.sendMessageStream(message('chunks'), AUTHORIZED)) {
      if (event.status) seen.push(event.status.state);
    }
    return fromTo(seen);
  },
  get: async () => (await client.getTask({ id: done }, AUTHORIZED)).status.state,
  cancel: async () => {
    const { id } = await send('input-required');
    return (await client.cancelTask({ id }, AUTHORIZED)).status.state;
  },
  subscribe: async () => {
    const { id, contextId } = await send('input-required');
    const events = client.resubscribeTask({ id }, AUTHORIZED);
    const seen = [(await events.next()).value.status.state];
    await send('complete', { taskId: id, contextId });
    for await (const event of events) {
      if (event.status) seen.push(event.status.state);
    }
    return fromTo(seen);
  },
  'push-set': async () => {
    waiting = (await send('input-required')).id;
    const wanted = { taskId: waiting, pushNotificationConfig: { id: 'hook', url: WEBHOOK } };
    return config(await client.setTaskPushNotificationConfig(wanted, AUTHORIZED));
  },
  'push-get': async () => {
    const request = { id: waiting, pushNotificationConfigId: 'hook' };
    return config(await client.getTaskPushNotificationConfig(request, AUTHORIZED));
  },
  'push-list': async () =>
    (await client.listTaskPushNotificationConfig({ id: waiting }, AUTHORIZED)).map(config).join(', '),
  'push-delete': async () => {
    const request = { id: waiting, pushNotificationConfigId: 'hook' };
    await client.deleteTaskPushNotificationConfig(request, AUTHORIZED);
    return 'deleted';
  },
  'extended-card': async () => `${(await client.getAgentCard(AUTHORIZED)).skills.length} skills`,
  'get-unknown': async () => (await client.getTask({ id: 'unknown' }, AUTHORIZED)).status.state,
  'cancel-ended': async () => (await client.cancelTask({ id: done }, AUTHORIZED)).status.state,
  'send-without-parts': async () => (await send('')).kind,
}, errorOf);
