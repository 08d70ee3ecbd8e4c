"""The whole surface of the client in a2a-sdk 0.3.x, over one interface of an agent.

    python client_0_3.py URL VERSION BINDING
"""

import asyncio
import itertools
import sys

import grpc
import httpx

from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.client.errors import A2AClientHTTPError, A2AClientJSONRPCError
from a2a.types import (
    AgentCard,
    GetTaskPushNotificationConfigParams,
    Message,
    Part,
    PushNotificationConfig,
    Role,
    TaskIdParams,
    TaskPushNotificationConfig,
    TaskQueryParams,
    TextPart,
)

from steps import AUTHORIZATION, ERRORS, WEBHOOK, channel, step


def error_of(error: Exception) -> str:
    """What tells this error from others: its code, where the SDK shows one."""
    match error:
        case A2AClientJSONRPCError():
            return ERRORS.get(error.error.code, f'JSON-RPC error {error.error.code}')
        case A2AClientHTTPError():
            return f'HTTP {error.status_code}'
        case grpc.aio.AioRpcError():
            return f'gRPC {error.code().name}'
    return f'{type(error).__name__}: {error}'


class Surface:
    def __init__(self, http: httpx.AsyncClient, card: AgentCard, binding: str) -> None:
        self._numbers = itertools.count(1)
        self._streaming, self._plain = (
            ClientFactory(
                ClientConfig(
                    streaming=streaming,
                    httpx_client=http,
                    grpc_channel_factory=channel,
                    supported_transports=[binding],
                    use_client_preference=True,
                )
            ).create(card)
            for streaming in (True, False)
        )
        self._done = self._waiting = ''

    def _message(self, text: str, **members: str) -> Message:
        parts = [Part(root=TextPart(text=text))] if text else []
        message_id = f'message-{next(self._numbers)}'
        return Message(message_id=message_id, role=Role.user, parts=parts, **members)

    async def _send(self, text: str, **members: str):
        answers = [answer async for answer in self._plain.send_message(self._message(text, **members))]
        return answers[-1][0] if isinstance(answers[-1], tuple) else answers[-1]

    async def send(self) -> str:
        task = await self._send('complete')
        self._done = task.id
        return task.status.state.value

    async def send_message(self) -> str:
        return (await self._send('message')).kind

    async def stream(self) -> str:
        seen = [
            task.status.state.value
            async for task, _ in self._streaming.send_message(self._message('chunks'))
        ]
        return f'{seen[0]} to {seen[-1]}'

    async def get(self) -> str:
        return (await self._plain.get_task(TaskQueryParams(id=self._done))).status.state.value

    async def cancel(self) -> str:
        waiting = await self._send('input-required')
        return (await self._plain.cancel_task(TaskIdParams(id=waiting.id))).status.state.value

    async def subscribe(self) -> str:
        waiting = await self._send('input-required')
        events = self._streaming.resubscribe(TaskIdParams(id=waiting.id))
        seen = [(await anext(events))[0].status.state.value]
        await self._send('complete', task_id=waiting.id, context_id=waiting.context_id)
        async for task, _ in events:
            seen.append(task.status.state.value)
        return f'{seen[0]} to {seen[-1]}'

    async def push_set(self) -> str:
        self._waiting = (await self._send('input-required')).id
        config = PushNotificationConfig(id='hook', url=WEBHOOK)
        config = TaskPushNotificationConfig(task_id=self._waiting, push_notification_config=config)
        config = (await self._plain.set_task_callback(config)).push_notification_config
        return f'{config.id} {config.url}'

    async def push_get(self) -> str:
        params = GetTaskPushNotificationConfigParams(id=self._waiting, push_notification_config_id='hook')
        config = (await self._plain.get_task_callback(params)).push_notification_config
        return f'{config.id} {config.url}'

    async def extended_card(self) -> str:
        return f'{len((await self._plain.get_card()).skills)} skills'

    async def get_unknown(self) -> str:
        return (await self._plain.get_task(TaskQueryParams(id='unknown'))).status.state.value

    async def cancel_ended(self) -> str:
        return (await self._plain.cancel_task(TaskIdParams(id=self._done))).status.state.value

    async def send_without_parts(self) -> str:
        return (await self._send('')).kind


async def main(url: str, _version: str, binding: str) -> None:
    async with httpx.AsyncClient(headers={'Authorization': AUTHORIZATION}) as http:
        cards = []

        async def read_card() -> str:
            cards.append(await A2ACardResolver(http, url).get_agent_card())
            return cards[0].name

        await step('card', read_card, error_of)
        surface = Surface(http, cards[0], binding)
        # It lists neither tasks nor configurations, and deletes none.
        names = ['send', 'send-message', 'stream', 'get', 'cancel', 'subscribe', 'push-set', 'push-get']
        names += ['extended-card', 'get-unknown', 'cancel-ended', 'send-without-parts']
        for name in names:
            await step(name, getattr(surface, name.replace('-', '_')), error_of)


asyncio.run(main(*sys.argv[1:]))
