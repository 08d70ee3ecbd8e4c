"""What the two agents share: the triggers they announce, and how they are started.

Nothing here knows the SDK, whose two generations differ in every type.
"""

import argparse
import asyncio
import contextlib
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable

import uvicorn

HOST = '127.0.0.1'

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


def run(build: Callable[[str, Callable], object]) -> None:
    """Serves the application that `build(url, lifespan)` returns until interrupted.

    The socket listens before the card is built, because the card holds the URL and
    the port may be the system's choice. Whoever reads the ready line may connect.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument(
        '--port', type=int, default=0, help='0 asks the system for a free port'
    )
    parser.add_argument(
        '--end-with-stdin',
        action='store_true',
        help='end when standard input is closed, for tests that must leave nothing behind',
    )
    arguments = parser.parse_args()
    if arguments.end_with_stdin:
        end_with_standard_input()
    listener = listen(arguments.port)
    url = f'http://{HOST}:{listener.getsockname()[1]}'

    @contextlib.asynccontextmanager
    async def lifespan(_app):
        print(f'listening on {url}', flush=True)
        yield

    config = uvicorn.Config(
        build(url, lifespan), log_level='warning', timeout_graceful_shutdown=1
    )
    with contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError):
        uvicorn.Server(config).run(sockets=[listener])
