"""What the agents on fasta2a share, in each of its generations: many workers."""

import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any

import serving

# A worker takes up a message, or a cancellation, when it is through with the last one. There are
# more than tasks are worked on at once, so that nothing ever waits in the broker.
WORKERS = 64


def lifespan(
    worker: Any, served: serving.Serving
) -> Callable[[Any], contextlib.AbstractAsyncContextManager]:
    """What the application does while it is served: its tasks, and the workers."""

    @contextlib.asynccontextmanager
    async def running(app: Any) -> AsyncIterator[None]:
        async with contextlib.AsyncExitStack() as stack:
            await stack.enter_async_context(app.task_manager)
            for _ in range(WORKERS):
                await stack.enter_async_context(worker.run())
            await stack.enter_async_context(served.lifespan(app))
            yield

    return running
