"""An agent for A2A 0.3 on the published Python SDK (a2a-sdk 0.3.x).

Written as the SDK's documentation shows, without any workaround: it is here to
show how the SDK really behaves under the suite. One request handler serves
JSON-RPC, HTTP+JSON and gRPC, each through the SDK's own application or servicer.
"""

from a2a.grpc import a2a_pb2_grpc
from a2a.server.apps import (
    A2ARESTFastAPIApplication,
    A2AStarletteApplication,
)
from a2a.server.request_handlers import DefaultRequestHandler, GrpcHandler
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import AgentCard, AgentInterface, TransportProtocol
from starlette.applications import Starlette

import executor_0
import serving
import serving_grpc


def agent_card(http: str, grpc: str) -> AgentCard:
    return AgentCard(
        name='Python SDK agent, A2A 0.3',
        description='Does what the first word of a message asks for.',
        version='1.0.0',
        url=f'{http}/',
        preferred_transport=TransportProtocol.jsonrpc,
        additional_interfaces=[
            AgentInterface(url=url, transport=transport)
            for transport, url in (
                (TransportProtocol.jsonrpc, f'{http}/'),
                (TransportProtocol.http_json, f'{http}{serving.REST_PATH}'),
                (TransportProtocol.grpc, grpc),
            )
        ],
        capabilities=executor_0.capabilities(),
        default_input_modes=['text/plain'],
        default_output_modes=executor_0.OUTPUT_MODES,
        skills=[executor_0.skill()],
    )


def application(served: serving_grpc.Serving) -> Starlette:
    card = agent_card(served.http, served.grpc)
    handler = DefaultRequestHandler(
        agent_executor=executor_0.TriggeredExecutor(),
        task_store=InMemoryTaskStore(),
    )
    a2a_pb2_grpc.add_A2AServiceServicer_to_server(
        GrpcHandler(card, handler), served.grpc_server
    )
    jsonrpc = A2AStarletteApplication(agent_card=card, http_handler=handler)
    rest = A2ARESTFastAPIApplication(agent_card=card, http_handler=handler)
    app = jsonrpc.build(lifespan=served.lifespan)
    app.mount(serving.REST_PATH, rest.build())
    return app


if __name__ == '__main__':
    serving_grpc.run(application)
