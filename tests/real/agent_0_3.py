"""An agent for A2A 0.3 on the published Python SDK (a2a-sdk 0.3.x).

Written as the SDK's documentation shows, without any workaround: it is here to
show how the SDK really behaves under the suite. One request handler serves
JSON-RPC, HTTP+JSON and gRPC, each through the SDK's own application or servicer.
"""

import grpc.aio
import httpx
from a2a.auth.user import UnauthenticatedUser
from a2a.grpc import a2a_pb2_grpc
from a2a.server.apps import (
    A2ARESTFastAPIApplication,
    A2AStarletteApplication,
)
from a2a.server.context import ServerCallContext
from a2a.server.request_handlers import DefaultRequestHandler, GrpcHandler
from a2a.server.request_handlers.grpc_handler import DefaultCallContextBuilder
from a2a.server.tasks import (
    BasePushNotificationSender,
    InMemoryPushNotificationConfigStore,
    InMemoryTaskStore,
)
from a2a.types import (
    AgentCard,
    AgentInterface,
    APIKeySecurityScheme,
    HTTPAuthSecurityScheme,
    In,
    SecurityScheme,
    TransportProtocol,
)
from starlette.applications import Starlette

import executor_0
import securing
import serving
import serving_grpc
from users import API_KEY, Users


class WithUsers(DefaultCallContextBuilder):
    """Tells the SDK who asks over gRPC, where its default knows nobody."""

    def __init__(self, users: Users) -> None:
        self._users = users

    def build(self, context: grpc.aio.ServicerContext) -> ServerCallContext:
        built = super().build(context)
        name = securing.user_over_grpc(context, self._users)
        built.user = securing.Named(name) if name else UnauthenticatedUser()
        return built


def agent_card(served: serving_grpc.Serving) -> AgentCard:
    card = AgentCard(
        name='Python SDK agent, A2A 0.3',
        description='Does what the first word of a message asks for.',
        version='1.0.0',
        url=f'{served.http}/',
        preferred_transport=TransportProtocol.jsonrpc,
        additional_interfaces=[
            AgentInterface(url=url, transport=transport)
            for transport, url in (
                (TransportProtocol.jsonrpc, f'{served.http}/'),
                (TransportProtocol.http_json, f'{served.http}{serving.REST_PATH}'),
                (TransportProtocol.grpc, served.grpc),
            )
        ],
        capabilities=executor_0.capabilities(served.push),
        default_input_modes=['text/plain'],
        default_output_modes=executor_0.OUTPUT_MODES,
        skills=[executor_0.skill()],
    )
    if served.users:
        scheme = (
            APIKeySecurityScheme(in_=In.header, name=API_KEY)
            if served.users.api_key
            else HTTPAuthSecurityScheme(scheme=securing.SCHEME)
        )
        card.security_schemes = {'token': SecurityScheme(root=scheme)}
        card.security = [{'token': []}]
    return card


def application(served: serving_grpc.Serving) -> Starlette:
    card = agent_card(served)
    configs = InMemoryPushNotificationConfigStore() if served.push else None
    handler = DefaultRequestHandler(
        agent_executor=executor_0.TriggeredExecutor(),
        task_store=InMemoryTaskStore(),
        push_config_store=configs,
        push_sender=configs
        and BasePushNotificationSender(httpx.AsyncClient(), configs),
    )
    a2a_pb2_grpc.add_A2AServiceServicer_to_server(
        GrpcHandler(card, handler, WithUsers(served.users)),
        served.grpc_server,
    )
    jsonrpc = A2AStarletteApplication(agent_card=card, http_handler=handler)
    rest = A2ARESTFastAPIApplication(agent_card=card, http_handler=handler)
    app = jsonrpc.build(
        lifespan=served.lifespan,
        middleware=securing.middleware(served.users),
    )
    app.mount(serving.REST_PATH, rest.build())
    return app


if __name__ == '__main__':
    serving_grpc.run(application)
