"""An agent for A2A 0.2 on the published Python SDK (a2a-sdk 0.2.x).

Written as the SDK's documentation shows, without any workaround: it is here to
show how the SDK really behaves under the suite. JSON-RPC is all that A2A 0.2 has.
"""

from a2a.server.apps import A2AStarletteApplication
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import AgentCard
from starlette.applications import Starlette

import executor_0
import serving


def agent_card(http: str) -> AgentCard:
    """The card. Of the protocol's version it says what the SDK says by itself."""
    return AgentCard(
        name='Python SDK agent, A2A 0.2',
        description='Does what the first word of a message asks for.',
        version='1.0.0',
        url=f'{http}/',
        capabilities=executor_0.capabilities(),
        default_input_modes=['text/plain'],
        default_output_modes=executor_0.OUTPUT_MODES,
        skills=[executor_0.skill()],
    )


def application(served: serving.Serving) -> Starlette:
    handler = DefaultRequestHandler(
        agent_executor=executor_0.TriggeredExecutor(),
        task_store=InMemoryTaskStore(),
    )
    app = A2AStarletteApplication(
        agent_card=agent_card(served.http), http_handler=handler
    )
    return app.build(lifespan=served.lifespan)


if __name__ == '__main__':
    serving.run(application)
