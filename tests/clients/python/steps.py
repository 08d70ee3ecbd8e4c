"""What the programs on both lines of the Python SDK share: steps, and what each of them saw.

Nothing here knows an SDK: its lines differ in every type.
"""

import asyncio
import json

from collections.abc import Awaitable, Callable

import grpc

# Whoever has a token is let in to the extended card.
AUTHORIZATION = 'Bearer reference'

# Nobody listens there, and nothing that these programs do is posted.
WEBHOOK = 'http://127.0.0.1:9/hook'

# Longer than any step takes on a busy machine.
PATIENCE = 20

# Errors that the SDK shows by their number.
ERRORS = {
    -32001: 'TaskNotFoundError',
    -32002: 'TaskNotCancelableError',
    -32602: 'InvalidParamsError',
}


async def step(name: str, do: Callable[[], Awaitable[str]], error_of: Callable[[Exception], str]) -> None:
    """Does one step, and says what came of it in a line of JSON."""
    try:
        saw = await asyncio.wait_for(do(), PATIENCE)
    except TimeoutError:
        saw = 'silence'
    except Exception as error:  # noqa: BLE001 whatever the SDK throws is what its users see
        saw = error_of(error)
    print(json.dumps({'step': name, 'saw': saw}), flush=True)


def channel(address: str) -> grpc.aio.Channel:
    """A channel to the address of the card, as it is written there."""
    return grpc.aio.insecure_channel(address, interceptors=[_Unary(), _Stream()])


class _Unary(grpc.aio.UnaryUnaryClientInterceptor):
    """Adds the token, for which the SDK has no place of its own over gRPC."""

    async def intercept_unary_unary(self, continuation, details, request):
        return await continuation(with_token(details), request)


class _Stream(grpc.aio.UnaryStreamClientInterceptor):
    """The same for streams."""

    async def intercept_unary_stream(self, continuation, details, request):
        return await continuation(with_token(details), request)


def with_token(details):
    """The details of a call, with the token among its metadata."""
    metadata = grpc.aio.Metadata(*(details.metadata or ()))
    metadata.add('authorization', AUTHORIZATION)
    return details._replace(metadata=metadata)
