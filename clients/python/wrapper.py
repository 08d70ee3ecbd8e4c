"""The Python SDK (a2a-sdk 1.x) as a wrapper for `a2aspec client`: its public client, and the contract's lines around it.

    a2aspec client -- clients/python/.venv-1.3/bin/python clients/python/wrapper.py
"""

import asyncio, importlib.metadata, json, os, re, ssl, uuid

import httpx
from a2a.client import A2ACardResolver, A2AClientError, A2AClientTimeoutError, AuthInterceptor, ClientCallContext
from a2a.client import ClientConfig, ClientFactory, CredentialService
from a2a.client.service_parameters import ServiceParametersFactory, with_a2a_extensions
from a2a.types import a2a_pb2 as types
from a2a.utils.errors import A2AError
from a2a.utils.signing import SignatureVerificationError, create_signature_verifier
from google.protobuf.json_format import MessageToDict, ParseDict, ParseError
from jwt import PyJWK, PyJWKError

CALLS = {name: (re.sub('(?<!^)([A-Z])', r'_\1', name).lower(), getattr(types, name + 'Request', None)) for name in (
    'GetTask', 'ListTasks', 'CancelTask', 'GetTaskPushNotificationConfig', 'ListTaskPushNotificationConfigs',
    'DeleteTaskPushNotificationConfig', 'GetExtendedAgentCard')}
CALLS['CreateTaskPushNotificationConfig'] = ('create_task_push_notification_config', types.TaskPushNotificationConfig)
STREAMS = ('SendStreamingMessage', 'SubscribeToTask')
DOES = ['resolve', 'client', 'verify', 'cancel-stream', 'close', 'SendMessage', *STREAMS, *CALLS]
ALGORITHMS = ['ES256', 'ES384', 'ES512', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'EdDSA']
cases: dict[str, dict] = {}
running: dict[int, asyncio.Task] = {}


class Unsupported(Exception):
    """The SDK has no public way to do this."""


class Credentials(CredentialService):
    def __init__(self, by_scheme: dict) -> None:
        if any(not {'token', 'key'} & set(one) for one in by_scheme.values()):
            raise Unsupported('the SDK takes one text for a scheme: a token, or a key')
        self._by_scheme = {name: one.get('token') or one['key'] for name, one in by_scheme.items()}

    async def get_credentials(self, name, context):
        return self._by_scheme.get(name)


def verifier(keys):
    if any(key.get('revoked') or key.get('expires') for key in keys):
        raise Unsupported('the SDK leaves it to the application whether a key is still good')
    known = {key['jwk'].get('kid'): PyJWK(key['jwk']) for key in keys}

    def provide(kid, jku):
        if kid not in known:
            raise PyJWKError(f'no key {kid}')
        return known[kid]
    return create_signature_verifier(provide, ALGORITHMS)


def http(c):
    context = ssl.create_default_context()
    if c.get('trust'):
        context.load_verify_locations(cadata=c['trust'] if isinstance(c['trust'], str) else '\n'.join(c['trust']))
    return httpx.AsyncClient(verify=context, timeout=c['limit'] / 1000)


async def resolve(c, case):
    url = c['url']
    if url not in case:
        base, _, path = url.rpartition('/') if url.endswith('.json') else (url, '', None)
        case[url] = A2ACardResolver(http(c), base, path) if path else A2ACardResolver(http(c), base)
    return await case[url].get_agent_card()


async def client(c, case):
    card = case['card', c['card']] if c.get('card') else await resolve(c, case)
    if c.get('keys'):
        verifier(c['keys'])(card)
    interceptors = [AuthInterceptor(Credentials(c['auth']))] if c.get('auth') else []
    made = [ClientFactory(ClientConfig(streaming=streaming, httpx_client=http(c), accepted_output_modes=c.get('output-modes') or [],
                                       supported_protocol_bindings=c.get('bindings') or ['JSONRPC', 'HTTP+JSON'])).create(card, interceptors)
            for streaming in (False, True)]
    case['client', c['as']] = (*made, c.get('extensions') or [])
    return {}


async def events(c, case):
    plain, streaming, extensions = case['client', c['client']]
    parameters = ServiceParametersFactory.create([with_a2a_extensions(extensions)])
    context = ClientCallContext(timeout=c['limit'] / 1000, service_parameters=parameters)
    with_ = c.get('with') or {}
    if c['do'] in CALLS:
        method, request = CALLS[c['do']]
        yield await getattr(plain, method)(ParseDict(with_, request()), context=context)
    elif c['do'] == 'SubscribeToTask':
        async for event in streaming.subscribe(ParseDict(with_, types.SubscribeToTaskRequest()), context=context):
            yield event
    else:
        request = ParseDict(with_, types.SendMessageRequest())
        request.message.message_id = request.message.message_id or str(uuid.uuid4())
        request.message.role = request.message.role or types.ROLE_USER
        sender = streaming if c['do'] == 'SendStreamingMessage' else plain
        async for event in sender.send_message(request, context=context):
            yield event


def kind_of(error):
    causes = (error, error.__cause__)
    if isinstance(error, (TimeoutError, A2AClientTimeoutError)):
        return 'timeout'
    if isinstance(error, A2AError) and not isinstance(error, A2AClientError):
        return 'agent'
    if any(isinstance(cause, httpx.HTTPError) for cause in causes):
        return 'transport'
    if any(isinstance(cause, (json.JSONDecodeError, ParseError, UnicodeDecodeError)) for cause in causes):
        return 'unreadable'
    if isinstance(error, SignatureVerificationError) or (isinstance(error, ValueError) and 'no compatible' in str(error)):
        return 'refused'
    return 'usage' if isinstance(error, KeyError) else 'other'


async def perform(c, say):
    case, id_ = cases.setdefault(c['case'], {}), c['id']
    try:
        if c['do'] in STREAMS:
            async for event in events(c, case):
                say({'say': 'event', 'id': id_, 'value': MessageToDict(event)})
            return say({'say': 'end', 'id': id_, 'by': 'agent'})
        async with asyncio.timeout(c['limit'] / 1000):
            if c['do'] == 'resolve':
                value = case['card', c['as']] = await resolve(c, case)
            elif c['do'] == 'client':
                value = await client(c, case)
            elif c['do'] == 'verify':
                verifier(c.get('keys') or [])(case['card', c['card']])
                value = {'verified': True}
            else:
                value = [value async for value in events(c, case)][-1]
        value = value if isinstance(value, dict) else {} if value is None else MessageToDict(value)
        say({'say': 'result', 'id': id_, 'value': value})
    except Unsupported as error:
        say({'say': 'unsupported', 'id': id_, 'why': str(error)})
    except Exception as error:
        kind = kind_of(error)
        name = type(error).__name__ if kind == 'agent' else None
        say({'say': 'error', 'id': id_, 'kind': kind, 'code': None, 'name': name, 'message': f'{type(error).__name__}: {error}'})


async def stop(ids, by, say):
    for id_ in ids:
        if (task := running.get(id_)) and not task.done():
            task.cancel()
            await asyncio.wait([task])
            say({'say': 'end', 'id': id_, 'by': by})


async def control(c, say):
    """cancel-stream and close: what was begun with an id ends first."""
    if c['do'] == 'cancel-stream':
        await stop([c['stream']], 'cancel', say)
    else:
        case = cases.pop(c['case'], {})
        await stop(case.get('streams', []), 'close', say)
    say({'say': 'result', 'id': c['id'], 'value': None})


async def main():
    host, _, port = os.environ['A2ASPEC_WRAPPER'].removeprefix('tcp:').rpartition(':')
    reader, writer = await asyncio.open_connection(host.strip('[]'), int(port), limit=16 << 20)

    def say(answer):
        writer.write(json.dumps(answer).encode() + b'\n')
    say({'say': 'hello', 'contract': 1, 'token': os.environ['A2ASPEC_WRAPPER_TOKEN'], 'does': DOES, 'versions': ['1.0'],
         'sdk': {'name': 'a2a-sdk', 'version': importlib.metadata.version('a2a-sdk')}, 'bindings': ['JSONRPC', 'HTTP+JSON']})
    while line := await reader.readline():
        c = json.loads(line)
        if 'id' in c:
            if c['do'] in STREAMS:
                cases.setdefault(c['case'], {}).setdefault('streams', []).append(c['id'])
            work = control if c['do'] in ('cancel-stream', 'close') else perform
            running[c['id']] = asyncio.create_task(work(c, say))


asyncio.run(main())
