"""The whole surface of the client in a2a-sdk 1.x, over one interface of an agent.

    python client_1_0.py URL VERSION BINDING
"""

import asyncio
import itertools
import sys

import httpx

from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.client.errors import A2AClientError
from a2a.types.a2a_pb2 import (
    AgentCard,
    CancelTaskRequest,
    DeleteTaskPushNotificationConfigRequest,
    GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest,
    GetTaskRequest,
    ListTaskPushNotificationConfigsRequest,
    ListTasksRequest,
    Message,
    Part,
    Role,
    SendMessageRequest,
    SubscribeToTaskRequest,
    TaskPushNotificationConfig,
    TaskState,
)

from steps import AUTHORIZATION, WEBHOOK, channel, step


def state(status) -> str:
    return TaskState.Name(status.state).removeprefix('TASK_STATE_').lower().replace('_', '-')


def error_of(error: Exception) -> str:
    """The name by which a user tells this error from others."""
    if type(error) is A2AClientError:
        return str(error).split(':')[0]
    return type(error).__name__


class Surface:
    def __init__(self, http: httpx.AsyncClient, card: AgentCard, binding: str) -> None:
        self._numbers = itertools.count(1)
        self._streaming, self._plain = (
            ClientFactory(
                ClientConfig(
                    streaming=streaming,
                    httpx_client=http,
                    grpc_channel_factory=channel,
                    supported_protocol_bindings=[binding],
                )
            ).create(card)
            for streaming in (True, False)
        )
        self._done = self._waiting = ''

    def _message(self, text: str, **members: str) -> SendMessageRequest:
        parts = [Part(text=text)] if text else []
        message_id = f'message-{next(self._numbers)}'
        return SendMessageRequest(
            message=Message(message_id=message_id, role=Role.ROLE_USER, parts=parts, **members)
        )

    async def _send(self, text: str, **members: str):
        answers = [answer async for answer in self._plain.send_message(self._message(text, **members))]
        return answers[-1]

    async def send(self) -> str:
        task = (await self._send('complete')).task
        self._done = task.id
        return state(task.status)

    async def send_message(self) -> str:
        return (await self._send('message')).WhichOneof('payload')

    async def stream(self) -> str:
        seen = []
        async for event in self._streaming.send_message(self._message('chunks')):
            kind = event.WhichOneof('payload')
            told = getattr(event, kind)
            if kind in ('task', 'status_update'):
                seen.append(state(told.status))
        return f'{seen[0]} to {seen[-1]}'

    async def get(self) -> str:
        return state((await self._plain.get_task(GetTaskRequest(id=self._done))).status)

    async def list(self) -> str:
        tasks = (await self._plain.list_tasks(ListTasksRequest(page_size=10))).tasks
        return 'the task is there' if self._done in {task.id for task in tasks} else 'the task is missing'

    async def cancel(self) -> str:
        waiting = (await self._send('input-required')).task
        return state((await self._plain.cancel_task(CancelTaskRequest(id=waiting.id))).status)

    async def subscribe(self) -> str:
        waiting = (await self._send('input-required')).task
        events = self._streaming.subscribe(SubscribeToTaskRequest(id=waiting.id))
        seen = [state((await anext(events)).task.status)]
        await self._send('complete', task_id=waiting.id, context_id=waiting.context_id)
        async for event in events:
            if event.HasField('status_update'):
                seen.append(state(event.status_update.status))
        return f'{seen[0]} to {seen[-1]}'

    async def push_set(self) -> str:
        self._waiting = (await self._send('input-required')).task.id
        config = TaskPushNotificationConfig(task_id=self._waiting, id='hook', url=WEBHOOK)
        config = await self._plain.create_task_push_notification_config(config)
        return f'{config.id} {config.url}'

    async def push_get(self) -> str:
        request = GetTaskPushNotificationConfigRequest(task_id=self._waiting, id='hook')
        config = await self._plain.get_task_push_notification_config(request)
        return f'{config.id} {config.url}'

    async def push_list(self) -> str:
        request = ListTaskPushNotificationConfigsRequest(task_id=self._waiting)
        configs = (await self._plain.list_task_push_notification_configs(request)).configs
        return ', '.join(f'{config.id} {config.url}' for config in configs)

    async def push_delete(self) -> str:
        request = DeleteTaskPushNotificationConfigRequest(task_id=self._waiting, id='hook')
        await self._plain.delete_task_push_notification_config(request)
        return 'deleted'

    async def extended_card(self) -> str:
        card = await self._plain.get_extended_agent_card(GetExtendedAgentCardRequest())
        return f'{len(card.skills)} skills'

    async def get_unknown(self) -> str:
        return state((await self._plain.get_task(GetTaskRequest(id='unknown'))).status)

    async def cancel_ended(self) -> str:
        return state((await self._plain.cancel_task(CancelTaskRequest(id=self._done))).status)

    async def send_without_parts(self) -> str:
        return (await self._send('')).WhichOneof('payload')


async def main(url: str, version: str, binding: str) -> None:
    async with httpx.AsyncClient(headers={'Authorization': AUTHORIZATION}) as http:
        card = AgentCard()

        async def read_card() -> str:
            card.CopyFrom(await A2ACardResolver(http, url).get_agent_card())
            return card.name

        await step('card', read_card, error_of)
        # Which interface is used is for the test to say.
        chosen = [
            interface
            for interface in card.supported_interfaces
            if (interface.protocol_version, interface.protocol_binding) == (version, binding)
        ]
        del card.supported_interfaces[:]
        card.supported_interfaces.extend(chosen)
        surface = Surface(http, card, binding)
        names = ['send', 'send-message', 'stream', 'get']
        # 0.3 has no list of tasks that all bindings share.
        names += ['list'] if version == '1.0' else []
        names += ['cancel', 'subscribe', 'push-set', 'push-get', 'push-list', 'push-delete']
        names += ['extended-card', 'get-unknown', 'cancel-ended', 'send-without-parts']
        for name in names:
            await step(name, getattr(surface, name.replace('-', '_')), error_of)


asyncio.run(main(*sys.argv[1:]))
