"""An agent for A2A 0.3 on the published package a2akit, over JSON-RPC and HTTP+JSON.

Written as the package's documentation shows: a worker, and a server made of it.
"""

import asyncio
import contextlib
import pathlib
import sys
from collections.abc import AsyncIterator

from a2akit import (
    A2AServer,
    AgentCardConfig,
    CapabilitiesConfig,
    ExtensionConfig,
    SkillConfig,
    TaskContext,
    Worker,
)
from fastapi import FastAPI

sys.path.append(str(pathlib.Path(__file__).parent.parent))

import serving  # noqa: E402


class TriggeredWorker(Worker):
    """Does what the first word of the message asks for."""

    async def handle(self, ctx: TaskContext) -> None:
        # A follow-up is the answer to a request for input or credentials.
        trigger = (
            'complete' if ctx.history else serving.first_word(ctx.user_text)
        )
        await getattr(self, trigger.replace('-', '_'))(ctx)

    async def complete(self, ctx: TaskContext) -> None:
        await ctx.complete('done')

    async def message(self, ctx: TaskContext) -> None:
        await ctx.reply_directly('a message and no task')

    async def slow(self, ctx: TaskContext) -> None:
        for number in range(serving.SLOW_CHUNKS):
            await asyncio.sleep(serving.SLOW_PAUSE_SECONDS)
            if ctx.is_cancelled:
                return
            await ctx.emit_text_artifact(
                f'chunk {number}\n',
                artifact_id='slow',
                append=number > 0,
                last_chunk=number == serving.SLOW_CHUNKS - 1,
            )
        await ctx.complete()

    async def chunks(self, ctx: TaskContext) -> None:
        for number in range(4):
            await ctx.emit_text_artifact(
                f'part {number} ',
                artifact_id='chunks',
                append=number > 0,
                last_chunk=number == 3,
            )
        await ctx.emit_text_artifact(
            'whole', artifact_id='whole', last_chunk=True
        )
        await ctx.complete()

    async def input_required(self, ctx: TaskContext) -> None:
        await ctx.request_input('which one?')

    async def auth_required(self, ctx: TaskContext) -> None:
        await ctx.request_auth('sign in, please')

    async def fail(self, ctx: TaskContext) -> None:
        await ctx.fail('it went wrong')

    async def reject(self, ctx: TaskContext) -> None:
        await ctx.reject('not my work')

    async def file(self, ctx: TaskContext) -> None:
        await ctx.emit_artifact(
            artifact_id='bytes',
            file_bytes=b'\x00\x01\xfe\xff',
            media_type='application/octet-stream',
            filename='bytes.bin',
            last_chunk=True,
        )
        await ctx.emit_artifact(
            artifact_id='elsewhere',
            file_url='https://example.com/report.pdf',
            media_type='application/pdf',
            filename='report.pdf',
            last_chunk=True,
        )
        await ctx.complete()

    async def data(self, ctx: TaskContext) -> None:
        await ctx.complete_json(
            {'answer': 42, 'half': 0.5, 'none': None, 'list': [1, 'a']}
        )


def application(served: serving.Serving) -> FastAPI:
    server = A2AServer(
        worker=TriggeredWorker(),
        agent_card=AgentCardConfig(
            name='a2akit agent, A2A 0.3',
            description='Does what the first word of a message asks for.',
            version='1.0.0',
            skills=[
                SkillConfig(
                    id='triggers',
                    name='Triggers',
                    description='Brings a task into the state that the first word names.',
                    tags=['test'],
                )
            ],
            extensions=[
                ExtensionConfig(
                    uri=serving.TRIGGERS_EXTENSION,
                    params=serving.trigger_params(),
                )
            ],
            capabilities=CapabilitiesConfig(
                streaming=True, state_transition_history=True
            ),
        ),
        additional_protocols=['HTTP+JSON'],
    )
    app = server.as_fastapi_app()
    own = app.router.lifespan_context

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with own(app), served.lifespan(app):
            yield

    app.router.lifespan_context = lifespan
    return app


if __name__ == '__main__':
    serving.run(application)
