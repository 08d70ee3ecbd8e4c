"""An agent for A2A 1.0 on the published Python SDK (a2a-sdk 1.x).

Written as the SDK's documentation shows, without any workaround: it is here to
show how the SDK really behaves under the suite. One request handler serves
JSON-RPC, HTTP+JSON and gRPC.
"""

import asyncio

import grpc.aio
import httpx
from a2a.auth.user import UnauthenticatedUser, User
from a2a.helpers import (
    get_message_text,
    new_data_part,
    new_raw_part,
    new_task_from_user_message,
    new_text_message,
    new_text_part,
    new_url_part,
)
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler, GrpcHandler
from a2a.server.request_handlers.grpc_handler import (
    DefaultGrpcServerCallContextBuilder,
)
from a2a.server.routes import (
    create_agent_card_routes,
    create_jsonrpc_routes,
    create_rest_routes,
)
from a2a.server.tasks import (
    BasePushNotificationSender,
    InMemoryPushNotificationConfigStore,
    InMemoryTaskStore,
    TaskUpdater,
)
from a2a.types import (
    AgentCapabilities,
    AgentCard,
    AgentExtension,
    AgentInterface,
    AgentSkill,
    APIKeySecurityScheme,
    HTTPAuthSecurityScheme,
    SecurityRequirement,
    SecurityScheme,
    StringList,
    a2a_pb2_grpc,
)
from starlette.applications import Starlette

import securing
import serving
import serving_grpc
from users import API_KEY, Users


class TriggeredExecutor(AgentExecutor):
    """Does what the first word of the message asks for."""

    async def execute(
        self, context: RequestContext, event_queue: EventQueue
    ) -> None:
        trigger = serving.first_word(get_message_text(context.message))
        task = context.current_task
        if task is None and trigger == 'message':
            await event_queue.enqueue_event(
                new_text_message(
                    'a message and no task', context_id=context.context_id
                )
            )
            return

        if task is None:
            task = new_task_from_user_message(context.message)
            await event_queue.enqueue_event(task)
            updater = TaskUpdater(event_queue, task.id, task.context_id)
            await getattr(self, trigger.replace('-', '_'))(updater)
        else:
            # A follow-up: the answer to a request for input or credentials. The
            # SDK queues follow-ups, so no other work on the task is going on.
            updater = TaskUpdater(event_queue, task.id, task.context_id)
            await self.complete(updater)

    async def cancel(
        self, context: RequestContext, event_queue: EventQueue
    ) -> None:
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        await updater.cancel()

    async def complete(self, updater: TaskUpdater) -> None:
        await updater.start_work()
        await updater.add_artifact([new_text_part('done')], name='result')
        await updater.complete()

    async def slow(self, updater: TaskUpdater) -> None:
        await updater.start_work()
        for number in range(serving.SLOW_CHUNKS):
            await asyncio.sleep(serving.SLOW_PAUSE_SECONDS)
            await updater.add_artifact(
                [new_text_part(f'chunk {number}\n')],
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
                [new_text_part(f'part {number} ')],
                artifact_id='chunked',
                name='in four chunks',
                append=number > 0,
                last_chunk=number == 3,
            )
        await updater.add_artifact(
            [new_text_part('whole')], artifact_id='second', name='in one piece'
        )
        await updater.complete()

    async def input_required(self, updater: TaskUpdater) -> None:
        await updater.start_work()
        await updater.requires_input(
            updater.new_agent_message([new_text_part('which one?')])
        )

    async def auth_required(self, updater: TaskUpdater) -> None:
        await updater.start_work()
        await updater.requires_auth(
            updater.new_agent_message([new_text_part('sign in, please')])
        )

    async def fail(self, updater: TaskUpdater) -> None:
        await updater.start_work()
        await updater.failed(
            updater.new_agent_message([new_text_part('it went wrong')])
        )

    async def reject(self, updater: TaskUpdater) -> None:
        await updater.reject(
            updater.new_agent_message([new_text_part('not my work')])
        )

    async def file(self, updater: TaskUpdater) -> None:
        await updater.start_work()
        await updater.add_artifact(
            [
                new_raw_part(
                    b'\x00\x01\xfe\xff',
                    media_type='application/octet-stream',
                    filename='bytes.bin',
                ),
                new_url_part(
                    'https://example.com/report.pdf',
                    media_type='application/pdf',
                    filename='report.pdf',
                ),
            ],
            name='files',
        )
        await updater.complete()

    async def data(self, updater: TaskUpdater) -> None:
        await updater.start_work()
        await updater.add_artifact(
            [
                new_data_part(
                    {'answer': 42, 'half': 0.5, 'none': None, 'list': [1, 'a']},
                    media_type='application/json',
                )
            ],
            name='data',
        )
        await updater.complete()


class WithUsers(DefaultGrpcServerCallContextBuilder):
    """Tells the SDK who asks over gRPC, where its default knows nobody."""

    def __init__(self, users: Users) -> None:
        self._users = users

    def build_user(self, context: grpc.aio.ServicerContext) -> User:
        name = securing.user_over_grpc(context, self._users)
        return securing.Named(name) if name else UnauthenticatedUser()


def agent_card(served: serving_grpc.Serving) -> AgentCard:
    """The card, with the triggers in an extension that clients may ignore."""
    extension = AgentExtension(
        uri=serving.TRIGGERS_EXTENSION,
        description='How to bring this agent into each task state.',
        required=False,
    )
    extension.params.update(serving.trigger_params())
    card = AgentCard(
        name='Python SDK agent, A2A 1.0',
        description='Does what the first word of a message asks for.',
        version='1.0.0',
        supported_interfaces=[
            AgentInterface(
                url=url, protocol_binding=binding, protocol_version='1.0'
            )
            for binding, url in (
                ('JSONRPC', f'{served.http}/'),
                ('HTTP+JSON', f'{served.http}{serving.REST_PATH}'),
                ('GRPC', served.grpc),
            )
        ],
        capabilities=AgentCapabilities(
            streaming=True,
            push_notifications=served.push,
            extended_agent_card=False,
            extensions=[extension],
        ),
        default_input_modes=['text/plain'],
        default_output_modes=[
            'text/plain',
            'application/json',
            'application/octet-stream',
        ],
        skills=[
            AgentSkill(
                id='triggers',
                name='Triggers',
                description='Brings a task into the state that the first word names.',
                tags=['test'],
                examples=list(serving.TRIGGERS),
            )
        ],
    )
    if served.users:
        key = APIKeySecurityScheme(location='header', name=API_KEY)
        bearer = HTTPAuthSecurityScheme(scheme=securing.SCHEME)
        card.security_schemes['token'].CopyFrom(
            SecurityScheme(api_key_security_scheme=key)
            if served.users.api_key
            else SecurityScheme(http_auth_security_scheme=bearer)
        )
        card.security_requirements.append(
            SecurityRequirement(schemes={'token': StringList()})
        )
    return card


def application(served: serving_grpc.Serving) -> Starlette:
    card = agent_card(served)
    configs = InMemoryPushNotificationConfigStore() if served.push else None
    handler = DefaultRequestHandler(
        agent_executor=TriggeredExecutor(),
        task_store=InMemoryTaskStore(),
        agent_card=card,
        push_config_store=configs,
        push_sender=configs
        and BasePushNotificationSender(httpx.AsyncClient(), configs),
    )
    a2a_pb2_grpc.add_A2AServiceServicer_to_server(
        GrpcHandler(handler, WithUsers(served.users)), served.grpc_server
    )
    routes = [
        *create_agent_card_routes(card),
        *create_jsonrpc_routes(handler, '/'),
        *create_rest_routes(handler, path_prefix=serving.REST_PATH),
    ]
    return Starlette(
        routes=routes,
        lifespan=served.lifespan,
        middleware=securing.middleware(served.users),
    )


if __name__ == '__main__':
    serving_grpc.run(application)
