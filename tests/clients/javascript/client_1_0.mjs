// The whole surface of the client in @a2a-js/sdk 1.x, over one interface of an agent.
//
//     node client_1_0.mjs URL VERSION BINDING

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

import { AUTHORIZED, WEBHOOK, all, fromTo, nameOfClass, step } from './steps.mjs';

// Each line of the SDK is installed in a folder of its own.
const require = createRequire(new URL('1.0/package.json', import.meta.url));
const load = (name) => import(pathToFileURL(require.resolve(name)));
const { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory } =
  await load('@a2a-js/sdk/client');
const { GrpcTransportFactory } = await load('@a2a-js/sdk/client/grpc');
const { Role, TaskState } = await load('@a2a-js/sdk');

const [url, version, binding] = process.argv.slice(2);
const legacyCompat = { enabled: version === '0.3' };

const nameOf = (status) => TaskState[status.state].replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-');

let card;
await step('card', async () => {
  card = await new DefaultAgentCardResolver({ legacyCompat }).resolve(url);
  return card.name;
}, nameOfClass);
// Which interface is used is for the test to say.
card.supportedInterfaces = card.supportedInterfaces.filter(
  (one) => one.protocolVersion.startsWith(version) && one.protocolBinding === binding,
);
const transports = [JsonRpcTransportFactory, RestTransportFactory, GrpcTransportFactory];
const factory = new ClientFactory({ transports: transports.map((Transport) => new Transport({ legacyCompat })) });
const client = await factory.createFromAgentCard(card);

let number = 0;
const message = (text, members) => ({
  tenant: '',
  message: {
    messageId: `message-${++number}`,
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts: text ? [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' }] : [],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...members,
  },
  configuration: undefined,
  metadata: undefined,
});
const send = (text, members) => client.sendMessage(message(text, members), AUTHORIZED);
const config = (it) => `${it.id} ${it.url}`;

let done;
let waiting;
const surface = {
  send: async () => {
    const task = await send('complete');
    done = task.id;
    return nameOf(task.status);
  },
  'send-message': async () => ('messageId' in (await send('message')) ? 'message' : 'task'),
  stream: async () => {
    const seen = [];
    for await (const { payload } of client.sendMessageStream(message('chunks'), AUTHORIZED)) {
      if (payload.value.status) seen.push(nameOf(payload.value.status));
    }
    return fromTo(seen);
  },
  get: async () => nameOf((await client.getTask({ tenant: '', id: done }, AUTHORIZED)).status),
  list: async () => {
    const request = { tenant: '', contextId: '', status: 0, pageSize: 10, pageToken: '' };
    const { tasks } = await client.listTasks(request, AUTHORIZED);
    return tasks.some((task) => task.id === done) ? 'the task is there' : 'the task is missing';
  },
  cancel: async () => {
    const { id } = await send('input-required');
    return nameOf((await client.cancelTask({ tenant: '', id, metadata: undefined }, AUTHORIZED)).status);
  },
  subscribe: async () => {
    const { id, contextId } = await send('input-required');
    const events = client.resubscribeTask({ tenant: '', id }, AUTHORIZED);
    const seen = [nameOf((await events.next()).value.payload.value.status)];
    await send('complete', { taskId: id, contextId });
    for await (const { payload } of events) {
      if (payload.value.status) seen.push(nameOf(payload.value.status));
    }
    return fromTo(seen);
  },
  'push-set': async () => {
    waiting = (await send('input-required')).id;
    const wanted = { tenant: '', id: 'hook', taskId: waiting, url: WEBHOOK, token: '', authentication: undefined };
    return config(await client.createTaskPushNotificationConfig(wanted, AUTHORIZED));
  },
  'push-get': async () => {
    const request = { tenant: '', id: 'hook', taskId: waiting };
    return config(await client.getTaskPushNotificationConfig(request, AUTHORIZED));
  },
  'push-list': async () => {
    const request = { tenant: '', taskId: waiting, pageSize: 0, pageToken: '' };
    return (await client.listTaskPushNotificationConfig(request, AUTHORIZED)).configs.map(config).join(', ');
  },
  'push-delete': async () => {
    await client.deleteTaskPushNotificationConfig({ tenant: '', id: 'hook', taskId: waiting }, AUTHORIZED);
    return 'deleted';
  },
  'extended-card': async () => `${(await client.getAgentCard(AUTHORIZED)).skills.length} skills`,
  'get-unknown': async () => nameOf((await client.getTask({ tenant: '', id: 'unknown' }, AUTHORIZED)).status),
  'cancel-ended': async () =>
    nameOf((await client.cancelTask({ tenant: '', id: done, metadata: undefined }, AUTHORIZED)).status),
  'send-without-parts': async () => ('messageId' in (await send('')) ? 'message' : 'task'),
};
// 0.3 has no list of tasks that all bindings share.
if (version === '0.3') delete surface.list;
await all(surface, nameOfClass);
