"""The Python SDK (a2a-sdk 1.x) as a wrapper for `a2aspec client`, around its public client.

    a2aspec client -- clients/python/.venv-1.3/bin/python clients/python/wrapper.py
"""

import asyncio, functools, importlib.metadata, json, re, ssl, uuid

import httpx
from a2a.client import A2ACardResolver, A2AClientError, A2AClientTimeoutError, AuthInterceptor, ClientCallContext
from a2a.client import ClientConfig, ClientFactory, CredentialService
from a2a.client.service_parameters import ServiceParametersFactory, with_a2a_extensions
from a2a.types import a2a_pb2 as types
from a2a.utils.errors import A2AError
from a2a.utils.signing import SignatureVerificationError, create_signature_verifier
from google.protobuf.json_format import MessageToDict, ParseDict, ParseError
from jwt import PyJWK, PyJWKError

from contract import Unsupported, Wrapper

CALLS = {name: getattr(types, name + 'Request', types.TaskPushNotificationConfig) for name in (
    'GetTask', 'ListTasks', 'CancelTask', 'CreateTaskPushNotificationConfig', 'GetTaskPushNotificationConfig',
    'ListTaskPushNotificationConfigs', 'DeleteTaskPushNotificationConfig', 'GetExtendedAgentCard')}
DOES = ['resolve', 'client', 'verify', 'cancel-stream', 'close', 'SendMessage', *Wrapper.streams, *CALLS]
ALGORITHMS = ['ES256', 'ES384', 'ES512', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'EdDSA']


class Credentials(CredentialService):
    def __init__(self, by_scheme):
        if any(not {'token', 'key'} & set(one) for one in by_scheme.values()):
            raise Unsupported('the SDK takes one text for a scheme: a token, or a key')
        self.by_scheme = {name: one.get('token') or one['key'] for name, one in by_scheme.items()}

    async def get_credentials(self, name, context):
        return self.by_scheme.get(name)


def verify(card, keys):
    if any(key.get('revoked') or key.get('expires') for key in keys):
        raise Unsupported('the SDK leaves it to the application whether a key is still good')
    known = {key['jwk'].get('kid'): PyJWK(key['jwk']) for key in keys}

    def provide(kid, jku):
        if kid not in known:
            raise PyJWKError(f'no key {kid}')
        return known[kid]
    create_signature_verifier(provide, ALGORITHMS)(card)


@functools.cache
def trusting(pem):
    context = ssl.create_default_context()
    if pem:
        context.load_verify_locations(cadata=pem)
    return context


def http(c):
    trust = c.get('trust') or ''
    return httpx.AsyncClient(verify=trusting(trust if isinstance(trust, str) else '\n'.join(trust)), timeout=c['limit'] / 1000)


class Sdk(Wrapper):
    hello = {'does': DOES, 'bindings': ['JSONRPC', 'HTTP+JSON'], 'versions': ['1.0'],
             'sdk': {'name': 'a2a-sdk', 'version': importlib.metadata.version('a2a-sdk')}}

    async def resolve(self, c, case):
        if (url := c['url']) not in case:
            base, _, path = url.rpartition('/') if url.endswith('.json') else (url, '', '')
            case[url] = A2ACardResolver(http(c), base, **({'agent_card_path': path} if path else {}))
        return await case[url].get_agent_card()

    async def perform(self, c, case):
        if c['do'] == 'resolve':
            case['card', c['as']] = await self.resolve(c, case)
            return MessageToDict(case['card', c['as']])
        if c['do'] == 'verify':
            verify(case['card', c['card']], c.get('keys') or [])
            return {'verified': True}
        if c['do'] == 'client':
            card = case['card', c['card']] if c.get('card') else await self.resolve(c, case)
            if c.get('keys'):
                verify(card, c['keys'])
            interceptors = [AuthInterceptor(Credentials(c['auth']))] if c.get('auth') else []
            bindings = c.get('bindings') or ['JSONRPC', 'HTTP+JSON']
            configs = [ClientConfig(streaming=streaming, httpx_client=http(c), supported_protocol_bindings=bindings,
                                    accepted_output_modes=c.get('output-modes') or []) for streaming in (False, True)]
            case['client', c['as']] = [ClientFactory(one).create(card, interceptors) for one in configs], c.get('extensions') or []
            return {}
        return [value async for value in self.events(c, case)][-1]

    async def events(self, c, case):
        (plain, streaming), extensions = case['client', c['client']]
        parameters = ServiceParametersFactory.create([with_a2a_extensions(extensions)])
        context = ClientCallContext(timeout=c['limit'] / 1000, service_parameters=parameters)
        request = ParseDict(c.get('with') or {}, CALLS.get(c['do'], types.SendMessageRequest if c['do'] != 'SubscribeToTask' else types.SubscribeToTaskRequest)())
        if c['do'] in CALLS:
            told = await getattr(plain, re.sub('(?<!^)([A-Z])', r'_\1', c['do']).lower())(request, context=context)
            yield MessageToDict(told) if told is not None else {}
            return
        if c['do'] != 'SubscribeToTask':
            request.message.message_id = request.message.message_id or str(uuid.uuid4())
            request.message.role = request.message.role or types.ROLE_USER
        call = {'SendMessage': plain.send_message, 'SendStreamingMessage': streaming.send_message, 'SubscribeToTask': streaming.subscribe}[c['do']]
        async for event in call(request, context=context):
            yield MessageToDict(event)

    def error(self, error):
        causes = (error, error.__cause__)
        if isinstance(error, A2AError) and not isinstance(error, A2AClientError):
            return {'kind': 'agent', 'name': type(error).__name__}
        kinds = ((A2AClientTimeoutError, 'timeout'), (httpx.HTTPError, 'transport'), (SignatureVerificationError, 'refused'),
                 ((json.JSONDecodeError, ParseError, UnicodeDecodeError), 'unreadable'), (KeyError, 'usage'))
        kind = next((kind for type_, kind in kinds if any(isinstance(cause, type_) for cause in causes)), 'other')
        return {'kind': 'refused' if isinstance(error, ValueError) and 'no compatible' in str(error) else kind}


asyncio.run(Sdk().serve())
