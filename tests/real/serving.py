"""What all agents in Python share: the triggers they announce, and how they are started.

Nothing here knows an SDK: their generations differ in every type.
"""

import argparse
import asyncio
import contextlib
import dataclasses
import os
import signal
import socket
import sys
import threading
from collections.abc import AsyncIterator, Callable

import uvicorn
from starlette.applications import Starlette

from users import Users

HOST = '127.0.0.1'

# Below this path are the routes of HTTP+JSON; JSON-RPC is served at the root.
REST_PATH = '/rest'

TRIGGERS_EXTENSION = 'urn:a2aspec:triggers:v1'

# The first word of a message decides what the agent does with it.
TRIGGERS = (
    'complete',
    'message',
    'slow',
    'chunks',
    'input-required',
    'auth-required',
    'fail',
    'reject',
    'file',
    'data',
)

# About three seconds of work: long enough to cancel, subscribe and list while it runs.
SLOW_CHUNKS = 15
SLOW_PAUSE_SECONDS = 0.2


def trigger_params() -> dict[str, dict[str, str]]:
    """The params of the card extension: what to send for each behaviour."""
    return {trigger: {'text': trigger} for trigger in TRIGGERS}


def first_word(text: str) -> str:
    """The trigger in a message's text; anything unknown behaves as `complete`."""
    words = text.split(maxsplit=1)
    return words[0] if words and words[0] in TRIGGERS else 'complete'


def listen(port: int) -> socket.socket:
    """A socket that listens, so that the card can hold its port.

    asyncio turns Nagle's algorithm off only where it sees that the protocol is TCP. Without that
    each answer would wait for a delayed acknowledgement.
    """
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((HOST, port))
    listener.listen()
    return listener


def end_with_standard_input() -> None:
    """Ends the agent when whoever started it is gone, however it went."""

    def watch() -> None:
        while os.read(sys.stdin.fileno(), 1024):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True).start()


# Goes into an application: what it does while it is served.
Lifespan = Callable[[Starlette], contextlib.AbstractAsyncContextManager]


@dataclasses.dataclass
class Serving:
    """What an agent is built with: where it will be reached, and what it is to be added to."""

    # The URL of HTTP, without a path.
    http: str
    # Says that the agent listens.
    lifespan: Lifespan
    # Whether it posts to webhooks.
    push: bool
    # Who is let in.
    users: Users


def run(build: Callable[[Serving], Starlette]) -> None:
    """Serves the agent that `build` makes, over HTTP, until interrupted."""
    parser = argparse.ArgumentParser()
    parser.add_argument(
        '--port',
        type=int,
        default=0,
        help='where HTTP is served; 0 asks the system for a free port, as is always done for gRPC',
    )
    parser.add_argument(
        '--end-with-stdin',
        action='store_true',
        help='end when standard input is closed, for tests that must leave nothing behind',
    )
    parser.add_argument(
        '--push', action='store_true', help='post to the webhooks of clients'
    )
    parser.add_argument(
        '--user',
        action='append',
        default=[],
        metavar='NAME=TOKEN',
        help='a user and the token that shows who asks; may be repeated, and nobody else is let in',
    )
    parser.add_argument(
        '--api-key',
        action='store_true',
        help='the tokens of users are API keys in a header, and no bearer tokens',
    )
    arguments = parser.parse_args()
    names = (user.partition('=') for user in arguments.user)
    users = Users(
        {token: name for name, _, token in names}, arguments.api_key
    )
    if arguments.end_with_stdin:
        end_with_standard_input()
    with contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError):
        asyncio.run(
            serve(build, listen(arguments.port), arguments.push, users)
        )


async def serve(
    build: Callable[[Serving], Starlette],
    listener: socket.socket,
    push: bool,
    users: Users,
) -> None:
    """Serves at the socket, whose port the card holds. Whoever reads the ready line may connect."""
    url = f'http://{HOST}:{listener.getsockname()[1]}'

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        print(f'listening on {url}', flush=True)
        yield

    config = uvicorn.Config(
        build(Serving(url, lifespan, push, users)),
        log_level='warning',
        timeout_graceful_shutdown=1,
    )
    await uvicorn.Server(config).serve(sockets=[listener])
