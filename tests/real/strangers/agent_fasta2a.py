"""An agent for A2A 1.0 on the published package fasta2a 2, over JSON-RPC.

Beside the package's storage and broker stands a worker, which is what its users
write; there are many of it (`../workers.py`).
"""

import asyncio
import base64
import pathlib
import sys

from fasta2a import FastA2A, Worker
from fasta2a.broker import InMemoryBroker
from fasta2a.schema import (
    AgentExtension,
    Artifact,
    Message,
    Part,
    Skill,
    Task,
    TaskIdParams,
    TaskSendParams,
)
from fasta2a.storage import InMemoryStorage

sys.path.append(str(pathlib.Path(__file__).parent.parent))

import serving  # noqa: E402
import workers  # noqa: E402


class TriggeredWorker(Worker):
    """Does what the first word of the message asks for."""

    async def run_task(self, params: TaskSendParams) -> None:
        task = await self.storage.load_task(params['id'])
        assert task is not None, f'there is no task {params["id"]}'
        if task['status']['state'] != 'submitted':
            # It was canceled before its turn came.
            return
        await self.storage.update_task(task['id'], state='working')
        await self.publish_status(task['id'], task['context_id'], 'working')
        trigger = serving.first_word(
            '\n'.join(part.get('text', '') for part in params['message']['parts'])
        )
        act = getattr(self, trigger.replace('-', '_'), self.complete)
        await act(task)

    async def cancel_task(self, params: TaskIdParams) -> None:
        task = await self.storage.load_task(params['id'])
        if task is not None and task['status']['state'] in {
            'submitted',
            'working',
            'input-required',
            'auth-required',
        }:
            await self.storage.update_task(task['id'], state='canceled')

    async def finish(self, task: Task, *artifacts: Artifact) -> None:
        await self.storage.update_task(
            task['id'], state='completed', new_artifacts=list(artifacts)
        )
        for artifact in artifacts:
            await self.publish_artifact(
                task['id'], task['context_id'], artifact
            )

    async def complete(self, task: Task) -> None:
        await self.finish(task, *self.build_artifacts('done'))

    async def slow(self, task: Task) -> None:
        for _ in range(serving.SLOW_CHUNKS):
            await asyncio.sleep(serving.SLOW_PAUSE_SECONDS)
            now = await self.storage.load_task(task['id'])
            if now is None or now['status']['state'] == 'canceled':
                return
        await self.complete(task)

    async def chunks(self, task: Task) -> None:
        await self.finish(
            task,
            Artifact(
                artifact_id='chunks',
                parts=[Part(text=f'part {number} ') for number in range(4)],
            ),
            Artifact(artifact_id='whole', parts=[Part(text='whole')]),
        )

    async def input_required(self, task: Task) -> None:
        await self.storage.update_task(task['id'], state='input-required')

    async def auth_required(self, task: Task) -> None:
        await self.storage.update_task(task['id'], state='auth-required')

    async def fail(self, task: Task) -> None:
        await self.storage.update_task(task['id'], state='failed')

    async def reject(self, task: Task) -> None:
        await self.storage.update_task(task['id'], state='rejected')

    async def file(self, task: Task) -> None:
        await self.finish(
            task,
            Artifact(
                artifact_id='files',
                parts=[
                    Part(
                        raw=base64.b64encode(b'\x00\x01\xfe\xff').decode(),
                        filename='bytes.bin',
                        media_type='application/octet-stream',
                    ),
                    Part(
                        url='https://example.com/report.pdf',
                        filename='report.pdf',
                        media_type='application/pdf',
                    ),
                ],
            ),
        )

    async def data(self, task: Task) -> None:
        data = {'answer': 42, 'half': 0.5, 'none': None, 'list': [1, 'a']}
        part = Part(data=data, media_type='application/json')
        await self.finish(task, Artifact(artifact_id='data', parts=[part]))

    def build_message_history(self, history: list[Message]) -> list[Message]:
        return history

    def build_artifacts(self, result: str) -> list[Artifact]:
        return [Artifact(artifact_id='result', parts=[Part(text=result)])]


def application(served: serving.Serving) -> FastA2A:
    broker = InMemoryBroker()
    storage = InMemoryStorage()
    worker = TriggeredWorker(broker=broker, storage=storage)

    return FastA2A(
        storage=storage,
        broker=broker,
        name='fasta2a agent, A2A 1.0',
        url=f'{served.http}/',
        version='1.0.0',
        description='Does what the first word of a message asks for.',
        skills=[
            Skill(
                id='triggers',
                name='Triggers',
                description='Brings a task into the state that the first word names.',
                tags=['test'],
                input_modes=['text/plain'],
                output_modes=['text/plain'],
            )
        ],
        extensions=[
            AgentExtension(
                uri=serving.TRIGGERS_EXTENSION,
                required=False,
                params=serving.trigger_params(),
            )
        ],
        default_input_modes=['text/plain'],
        default_output_modes=[
            'text/plain',
            'application/json',
            'application/octet-stream',
        ],
        lifespan=workers.lifespan(worker, served),
    )


if __name__ == '__main__':
    serving.run(application)
