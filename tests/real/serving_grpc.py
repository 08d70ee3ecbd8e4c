"""How the agents in Python that speak gRPC, too, are started."""

import contextlib
import dataclasses
from collections.abc import AsyncIterator, Callable

import grpc.aio
from starlette.applications import Starlette

import securing
import serving


@dataclasses.dataclass
class Serving(serving.Serving):
    """What an agent is built with."""

    # HOST:PORT of gRPC, as the SDK's clients want it.
    grpc: str
    # Gets the agent's gRPC service.
    grpc_server: grpc.aio.Server


def run(build: Callable[[Serving], Starlette]) -> None:
    """Serves all bindings of the agent that `build` makes until interrupted."""
    serving.run(lambda served: build(with_grpc(served)))


def with_grpc(served: serving.Serving) -> Serving:
    """A server at a port of the system's choice, which is known before the card is built, because the card holds it.

    It serves for as long as HTTP is served.
    """
    grpc_server = grpc.aio.server(
        interceptors=securing.interceptors(served.users)
    )
    port = grpc_server.add_insecure_port(f'{serving.HOST}:0')

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await grpc_server.start()
        async with served.lifespan(app):
            yield
        await grpc_server.stop(grace=None)

    return Serving(
        served.http,
        lifespan,
        served.push,
        served.users,
        f'{serving.HOST}:{port}',
        grpc_server,
    )
