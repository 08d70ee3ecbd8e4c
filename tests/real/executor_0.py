"""What the agents on the Python SDK before its version 1 share: what they do.

Between a2a-sdk 0.2 and 0.3 nothing changed that an executor would see.
"""

import asyncio
import base64

from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.tasks import TaskUpdater
from a2a.types import (
    AgentCapabilities,
    AgentExtension,
    AgentSkill,
    DataPart,
    FilePart,
    FileWithBytes,
    FileWithUri,
    Part,
    TaskState,
    TextPart,
)
from a2a.utils import new_agent_text_message, new_task

import serving

INTERRUPTED = {TaskState.input_required, TaskState.auth_required}


def text_part(text: str) -> Part:
    return Part(root=TextPart(text=text))


class TriggeredExecutor(AgentExecutor):
    """Does what the first word of the message asks for."""

    async def execute(
        self, context: RequestContext, event_queue: EventQueue
    ) -> None:
        trigger = serving.first_word(context.get_user_input())
        task = context.current_task
        if task is None and trigger == 'message':
            await event_queue.enqueue_event(
                new_agent_text_message(
                    'a message and no task', context_id=context.context_id
                )
            )
            return

        if task is None:
            task = new_task(context.message)
            await event_queue.enqueue_event(task)
            updater = TaskUpdater(event_queue, task.id, task.context_id)
            await getattr(self, trigger.replace('-', '_'))(updater)
            return

        updater = TaskUpdater(event_queue, task.id, task.context_id)
        if task.status.state in INTERRUPTED:
            # A follow-up: the answer to a request for input or credentials.
            await self.complete(updater)
        else:
            # This SDK runs follow-ups beside the work that is still going on;
            # finishing the task from here would pull it from under that work.
            await updater.start_work(
                updater.new_agent_message([text_part('still at work')])
            )

    async def cancel(
        self, context: RequestContext, event_queue: EventQueue
    ) -> None:
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        await updater.cancel()

    async def complete(self, updater: TaskUpdater) -> None:
        await updater.start_work()
        await updater.add_artifact([text_part('done')], name='result')
        await updater.complete()

    async def slow(self, updater: TaskUpdater) -> None:
        await updater.start_work()
        for number in range(serving.SLOW_CHUNKS):
            await asyncio.sleep(serving.SLOW_PAUSE_SECONDS)
            await updater.add_artifact(
                [text_part(f'chunk {number}\n')],
                artifact_id='slow',
                name='slow result',
                append=number > 0,
                last_chunk=number == serving.SLOW_CHUNKS - 1,
            )
        await updater.complete()

    async def chunks(self, updater: TaskUpdater) -> None:
        await updater.start_work()
        for number in range(4):
            await updater.add_artifact(
                [text_part(f'part {number} ')],
                artifact_id='chunked',
                name='in four chunks',
                append=number > 0,
                last_chunk=number == 3,
            )
        await updater.add_artifact(
            [text_part('whole')], artifact_id='second', name='in one piece'
        )
        await updater.complete()

    async def input_required(self, updater: TaskUpdater) -> None:
        await updater.start_work()
        await updater.requires_input(
            updater.new_agent_message([text_part('which one?')]), final=True
        )

    async def auth_required(self, updater: TaskUpdater) -> None:
        await updater.start_work()
        await updater.requires_auth(
            updater.new_agent_message([text_part('sign in, please')]),
            final=True,
        )

    async def fail(self, updater: TaskUpdater) -> None:
        await updater.start_work()
        await updater.failed(
            updater.new_agent_message([text_part('it went wrong')])
        )

    async def reject(self, updater: TaskUpdater) -> None:
        await updater.reject(
            updater.new_agent_message([text_part('not my work')])
        )

    async def file(self, updater: TaskUpdater) -> None:
        await updater.start_work()
        await updater.add_artifact(
            [
                Part(
                    root=FilePart(
                        file=FileWithBytes(
                            bytes=base64.b64encode(b'\x00\x01\xfe\xff').decode(),
                            mime_type='application/octet-stream',
                            name='bytes.bin',
                        )
                    )
                ),
                Part(
                    root=FilePart(
                        file=FileWithUri(
                            uri='https://example.com/report.pdf',
                            mime_type='application/pdf',
                            name='report.pdf',
                        )
                    )
                ),
            ],
            name='files',
        )
        await updater.complete()

    async def data(self, updater: TaskUpdater) -> None:
        await updater.start_work()
        await updater.add_artifact(
            [
                Part(
                    root=DataPart(
                        data={
                            'answer': 42,
                            'half': 0.5,
                            'none': None,
                            'list': [1, 'a'],
                        }
                    )
                )
            ],
            name='data',
        )
        await updater.complete()


def capabilities(push: bool = False) -> AgentCapabilities:
    """What the cards declare, with the triggers in an extension that clients may ignore."""
    return AgentCapabilities(
        streaming=True,
        push_notifications=push,
        extensions=[
            AgentExtension(
                uri=serving.TRIGGERS_EXTENSION,
                description='How to bring this agent into each task state.',
                required=False,
                params=serving.trigger_params(),
            )
        ],
    )


def skill() -> AgentSkill:
    return AgentSkill(
        id='triggers',
        name='Triggers',
        description='Brings a task into the state that the first word names.',
        tags=['test'],
        examples=list(serving.TRIGGERS),
    )


OUTPUT_MODES = [
    'text/plain',
    'application/json',
    'application/octet-stream',
]
