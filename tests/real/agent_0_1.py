"""An agent for A2A 0.1 on the published package of Pydantic (fasta2a 0.2.x).

Written as the package's own adapter for agents is, without any workaround: it is
here to show how the package really behaves under the suite. The storage and the
broker are the package's; a worker is what its users write.
"""

import asyncio
import base64

from fasta2a import FastA2A, Skill, Worker
from fasta2a.broker import InMemoryBroker
from fasta2a.schema import (
    Artifact,
    DataPart,
    FilePart,
    Message,
    Part,
    Task,
    TaskIdParams,
    TaskSendParams,
    TextPart,
)
from fasta2a.storage import InMemoryStorage
from starlette.applications import Starlette

import serving
import workers


def text_part(text: str) -> TextPart:
    return TextPart(type='text', text=text)


def agent_message(text: str) -> Message:
    return Message(role='agent', parts=[text_part(text)])


def artifacts(*of_parts: list[Part]) -> list[Artifact]:
    return [
        Artifact(name=f'result {index}', index=index, parts=parts)
        for index, parts in enumerate(of_parts)
    ]


class TriggeredWorker(Worker):
    """Does what the first word of the message asks for, as far as A2A 0.1 knows such a thing."""

    async def run_task(self, params: TaskSendParams) -> None:
        task = await self.storage.load_task(params['id'])
        assert task is not None, f'there is no task {params["id"]}'
        state = task['status']['state']
        if state == 'working':
            # A word to work that is going on; its own worker brings it to an end.
            return

        await self.storage.update_task(task['id'], state='working')
        trigger = serving.first_word(
            '\n'.join(
                part['text']
                for part in params['message']['parts']
                if part['type'] == 'text'
            )
        )
        if state == 'input-required':
            # A follow-up: the answer to a request for input.
            trigger = 'complete'
        act = getattr(self, trigger.replace('-', '_'), self.complete)
        await act(task)

    async def cancel_task(self, params: TaskIdParams) -> None:
        task = await self.storage.load_task(params['id'])
        if task is not None and task['status']['state'] in {
            'submitted',
            'working',
            'input-required',
        }:
            await self.storage.update_task(task['id'], state='canceled')

    async def complete(self, task: Task) -> None:
        await self.storage.update_task(
            task['id'],
            state='completed',
            artifacts=self.build_artifacts('done'),
        )

    async def slow(self, task: Task) -> None:
        for _ in range(serving.SLOW_CHUNKS):
            await asyncio.sleep(serving.SLOW_PAUSE_SECONDS)
            now = await self.storage.load_task(task['id'])
            if now is None or now['status']['state'] == 'canceled':
                return
        await self.complete(task)

    async def chunks(self, task: Task) -> None:
        await self.storage.update_task(
            task['id'],
            state='completed',
            artifacts=artifacts(
                [text_part(f'part {number} ') for number in range(4)],
                [text_part('whole')],
            ),
        )

    async def input_required(self, task: Task) -> None:
        await self.storage.update_task(
            task['id'],
            state='input-required',
            message=agent_message('which one?'),
        )

    async def fail(self, task: Task) -> None:
        await self.storage.update_task(
            task['id'], state='failed', message=agent_message('it went wrong')
        )

    async def file(self, task: Task) -> None:
        await self.storage.update_task(
            task['id'],
            state='completed',
            artifacts=artifacts(
                [
                    FilePart(
                        type='file',
                        file={
                            'name': 'bytes.bin',
                            'mime_type': 'application/octet-stream',
                            'data': base64.b64encode(
                                b'\x00\x01\xfe\xff'
                            ).decode(),
                        },
                    ),
                    FilePart(
                        type='file',
                        file={
                            'name': 'report.pdf',
                            'mime_type': 'application/pdf',
                            'url': 'https://example.com/report.pdf',
                        },
                    ),
                ]
            ),
        )

    async def data(self, task: Task) -> None:
        await self.storage.update_task(
            task['id'],
            state='completed',
            artifacts=artifacts(
                [
                    DataPart(
                        type='data',
                        data={
                            'answer': 42,
                            'half': 0.5,
                            'none': None,
                            'list': [1, 'a'],
                        },
                    )
                ]
            ),
        )

    def build_message_history(self, task_history: list[Message]) -> list[Message]:
        return task_history

    def build_artifacts(self, result: str) -> list[Artifact]:
        return artifacts([text_part(result)])


def application(served: serving.Serving) -> Starlette:
    broker = InMemoryBroker()
    storage = InMemoryStorage()
    worker = TriggeredWorker(broker=broker, storage=storage)

    return FastA2A(
        storage=storage,
        broker=broker,
        name='Python agent, A2A 0.1',
        url=f'{served.http}/',
        version='1.0.0',
        description='Does what the first word of a message asks for.',
        skills=[
            Skill(
                id='triggers',
                name='Triggers',
                description='Brings a task into the state that the first word names.',
                tags=['test'],
                examples=list(serving.TRIGGERS),
                input_modes=['text/plain'],
                output_modes=['text/plain'],
            )
        ],
        lifespan=workers.lifespan(worker, served),
    )


if __name__ == '__main__':
    serving.run(application)
