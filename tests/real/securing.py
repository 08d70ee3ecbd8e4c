"""How the agents in Python know their users, as the SDK's context builders want it: each has a token.

HTTP has the middleware of Starlette, from whose `request.user` the SDK reads who asks. gRPC has an interceptor, and a
context builder of each agent's own, since the SDK's default knows nobody there. Of the SDK this knows what a user is,
which is the same in 0.3 and 1.0.
"""

import grpc
import grpc.aio
from a2a.auth.user import User
from starlette.authentication import (
    AuthCredentials,
    AuthenticationBackend,
    AuthenticationError,
    SimpleUser,
)
from starlette.middleware import Middleware
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, Response

from users import Users

SCHEME = 'bearer'

# Below this path is what anybody may read: the card says how to get in.
PUBLIC = '/.well-known/'


REFUSAL = 'a token is needed'


class Backend(AuthenticationBackend):
    """Knows who asks over HTTP."""

    def __init__(self, users: Users) -> None:
        self._users = users

    async def authenticate(
        self, conn: HTTPConnection
    ) -> tuple[AuthCredentials, SimpleUser] | None:
        if conn.url.path.startswith(PUBLIC):
            return None
        name = self._users.name_of(conn.headers)
        if name is None:
            raise AuthenticationError(REFUSAL)
        return AuthCredentials(['authenticated']), SimpleUser(name)


def middleware(users: Users) -> list[Middleware]:
    """What an application of HTTP gets; nothing where everybody is let in."""
    if not users:
        return []

    def refused(_conn: HTTPConnection, error: Exception) -> Response:
        return PlainTextResponse(
            str(error),
            status_code=401,
            headers={'WWW-Authenticate': users.challenge},
        )

    return [
        Middleware(
            AuthenticationMiddleware, backend=Backend(users), on_error=refused
        )
    ]


class Interceptor(grpc.aio.ServerInterceptor):
    """Lets nobody in over gRPC whom it does not know."""

    def __init__(self, users: Users) -> None:
        self._users = users

    async def intercept_service(self, continuation, details):
        metadata = dict(details.invocation_metadata)
        if self._users.name_of(metadata) is not None:
            return await continuation(details)
        handler = await continuation(details)
        if handler is None:
            return None

        async def refuse(_request, context):
            await context.abort(grpc.StatusCode.UNAUTHENTICATED, REFUSAL)

        async def refuse_stream(_request, context):
            await context.abort(grpc.StatusCode.UNAUTHENTICATED, REFUSAL)
            yield

        make, refusing = (
            (grpc.unary_stream_rpc_method_handler, refuse_stream)
            if handler.response_streaming
            else (grpc.unary_unary_rpc_method_handler, refuse)
        )
        return make(
            refusing,
            request_deserializer=handler.request_deserializer,
            response_serializer=handler.response_serializer,
        )


def interceptors(users: Users) -> list[Interceptor]:
    """What a server of gRPC gets; nothing where everybody is let in."""
    return [Interceptor(users)] if users else []


def user_over_grpc(
    context: grpc.aio.ServicerContext, users: Users
) -> str | None:
    """The name of the user who asks over gRPC."""
    return users.name_of(dict(context.invocation_metadata() or ()))


class Named(User):
    """Somebody with a name."""

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def is_authenticated(self) -> bool:
        return True

    @property
    def user_name(self) -> str:
        return self._name
