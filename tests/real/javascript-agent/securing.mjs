// How the agents in JavaScript know their users, as the SDK's user builders want it: each has a bearer token.
//
// HTTP has a middleware of Express, and gRPC an interceptor, since what a user builder throws is an error of the agent there.
// Of the SDK this knows what a user is, which is the same in 0.3 and 1.0.

import { Metadata, ServerInterceptingCall, status } from '@grpc/grpc-js';

export const SCHEME = 'bearer';

// Below this path is what anybody may read: the card says how to get in.
const PUBLIC = '/.well-known/';

const REFUSAL = 'a bearer token is needed';

// The users of `--user NAME=TOKEN`: names by their tokens.
export function usersOf(values) {
  return new Map(values.map((value) => value.split('=', 2).reverse()));
}

// The name of the user whose token this value of `Authorization` shows.
function nameOf(authorization, users) {
  const [scheme, token] = (authorization ?? '').toString().split(' ', 2);
  return scheme.toLowerCase() === SCHEME ? users.get(token) : undefined;
}

// A middleware of Express that lets nobody in whom it does not know.
export function guard(users) {
  return (request, response, next) => {
    if (request.path.startsWith(PUBLIC) || nameOf(request.headers.authorization, users)) {
      next();
    } else {
      response.status(401).set('WWW-Authenticate', 'Bearer').type('text/plain').send(REFUSAL);
    }
  };
}

// An interceptor that does the same over gRPC.
export function interceptor(users) {
  return (_method, call) =>
    new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, receive) => {
            if (nameOf(metadata.get('authorization')[0], users)) {
              receive(metadata);
            } else {
              call.sendStatus({ code: status.UNAUTHENTICATED, details: REFUSAL, metadata: new Metadata() });
            }
          },
        }),
    });
}

class Named {
  constructor(userName) {
    this.userName = userName;
  }

  get isAuthenticated() {
    return true;
  }
}

// Tells the SDK who asks over HTTP, and over gRPC; `nobody` is what does so where everybody is let in.
export function userBuilders(users, nobody) {
  if (users.size === 0) return { overHttp: nobody, overGrpc: nobody };
  return {
    overHttp: async (request) => new Named(nameOf(request.headers.authorization, users)),
    overGrpc: async (call) => new Named(nameOf(call.metadata.get('authorization')[0], users)),
  };
}
