// Where the agents listen, and when they end.

import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

import express from 'express';
import { Server, ServerCredentials } from '@grpc/grpc-js';

import * as securing from './securing.mjs';

const HOST = '127.0.0.1';

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

// Serves an agent on two ports. `prepare` gets the application, its URL and the server of gRPC, to which it adds what is to be
// served, and what the agent is told to do: whether to `push`, and the names of its `users` by their tokens, none where it has
// none. It gives a function that is told where gRPC is, which is known only then.
export async function serve(prepare) {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '0' },
      'end-with-stdin': { type: 'boolean', default: false },
      push: { type: 'boolean', default: false },
      user: { type: 'string', multiple: true, default: [] },
    },
  });
  const end = () => process.exit(0);
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  if (values['end-with-stdin']) {
    // Whoever started the agent is gone, however it went.
    process.stdin.on('end', end).resume();
  }
  const app = express();
  const url = `http://${HOST}:${await listening(createServer(app), Number(values.port))}`;
  const users = securing.usersOf(values.user);
  if (users.size > 0) app.use(securing.guard(users));
  const grpc = new Server({ interceptors: users.size > 0 ? [securing.interceptor(users)] : [] });
  const isAt = prepare(app, url, grpc, { push: values.push, users });
  isAt(`${HOST}:${await bound(grpc)}`);
  console.log(`listening on ${url}`);
}
