#!/usr/bin/env python3
"""Shows what a client makes of legal and of broken answers, byte by byte.

    clients/odd.py [--binding JSONRPC|HTTP+JSON] [--only TEXT] -- COMMAND...

An agent of this file answers each probe in its own odd way, and the wrapper reports what the client read. Like `try.py` it is for
whoever writes a client here: a FAIL may be against a SHOULD, or a matter of taste. `a2aspec client` has the verdicts. Probes of
signatures and of TLS need the program openssl.
"""

import argparse
import base64
import hashlib
import http.client
import json
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from importlib import util
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

spec = util.spec_from_file_location('trying', Path(__file__).with_name('try.py'))
trying = util.module_from_spec(spec)
spec.loader.exec_module(trying)

TASK = {'id': 't1', 'contextId': 'c1', 'status': {'state': 'TASK_STATE_COMPLETED'}}
WORKING = {**TASK, 'status': {'state': 'TASK_STATE_WORKING'}}


def update(state: str) -> dict:
    return {'statusUpdate': {'taskId': 't1', 'contextId': 'c1', 'status': {'state': f'TASK_STATE_{state}'}}}


def artifact(text: str, append=False) -> dict:
    return {'artifactUpdate': {'taskId': 't1', 'contextId': 'c1', 'append': append,
                               'artifact': {'artifactId': 'a1', 'parts': [{'text': text}]}}}


THREE = [{'task': WORKING}, artifact('grüße \U0001f30d'), update('COMPLETED')]


class Request:
    """A request that came in, and the ways to answer it."""

    def __init__(self, agent: 'OddAgent', connection: socket.socket, head: list[str], body: bytes) -> None:
        self.agent, self.connection = agent, connection
        self.method, self.path, _ = head[0].split(' ')
        self.headers = {name.lower(): value.strip() for name, value in (line.split(':', 1) for line in head[1:])}
        self.body = json.loads(body) if body.startswith((b'{', b'[')) else {}
        self.probe = self.path.split('/')[2]
        self.rpc = '/rpc' in self.path
        self.id = self.body.get('id') if self.rpc and isinstance(self.body, dict) else None
        self.params = self.body.get('params', {}) if self.rpc and isinstance(self.body, dict) else self.body
        self.raw = body

    def wrap(self, result) -> str:
        return json.dumps({'jsonrpc': '2.0', 'id': self.id, 'result': result} if self.rpc else result, ensure_ascii=False)

    def send(self, *pieces: bytes | float) -> None:
        for piece in pieces:
            time.sleep(piece) if isinstance(piece, float) else self.connection.sendall(piece)

    def answer(self, text: str | bytes, status=200, kind='application/json', headers='') -> None:
        body = text.encode() if isinstance(text, str) else text
        self.send(f'HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n{headers}connection: close\r\n\r\n'.encode() + body)

    def result(self, result, **options) -> None:
        self.answer(self.wrap(result), **options)

    def begin(self, kind='text/event-stream') -> None:
        self.send(f'HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n'.encode())

    def events(self, events=THREE, end='\n', between='', field='data: ', begin='') -> bytes:
        return (begin + ''.join(f'{between}{field}{self.wrap(event)}\n\n' for event in events)).replace('\n', end).encode()

    def stream(self, events=THREE, **options) -> None:
        self.begin()
        self.send(self.events(events, **options))

    def error(self, code=-32001, reason='TASK_NOT_FOUND', status=404, data=True, http=None, null=False) -> None:
        info = {'@type': 'type.googleapis.com/google.rpc.ErrorInfo', 'reason': reason, 'domain': 'a2a-protocol.org'}
        details = [info] if data is True else data or None
        if self.rpc:
            error = {'code': code, 'message': 'no', **({'data': details} if details else {})}
            self.answer(json.dumps({'jsonrpc': '2.0', 'id': None if null else self.id, 'error': error}), status=http or 200)
        else:
            error = {'code': status, 'message': 'no', 'status': 'NOT_FOUND' if status == 404 else 'FAILED_PRECONDITION'}
            self.answer(json.dumps({'error': {**error, **({'details': details} if details else {})}}), status=status)


class OddAgent:
    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.requests: list[Request] = []
        self.tls = tls
        self.listener = socket.create_server(('127.0.0.1', 0))
        self.url = f'http://127.0.0.1:{self.listener.getsockname()[1]}'
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        while True:
            connection, _ = self.listener.accept()
            threading.Thread(target=self.one, args=[connection], daemon=True).start()

    def one(self, connection: socket.socket) -> None:
        try:
            connection = self.tls.wrap_socket(connection, server_side=True) if self.tls else connection
        except OSError:
            return
        with connection:
            data = b''
            while b'\r\n\r\n' not in data:
                if not (piece := connection.recv(65536)):
                    return
                data += piece
            head, _, body = data.partition(b'\r\n\r\n')
            lines = head.decode('latin-1').split('\r\n')
            length = next((int(line.split(':')[1]) for line in lines if line.lower().startswith('content-length')), 0)
            while len(body) < length:
                body += connection.recv(65536)
            request = Request(self, connection, lines, body)
            self.requests.append(request)
            probe = PROBES[int(request.probe)]
            try:
                if request.path.endswith('/.well-known/agent-card.json'):
                    return probe.card(request)
                if '.well-known' in request.path:
                    return request.answer('', 404)
                probe.act(request)
            except (AttributeError, OSError):
                # A request that has no form gets no answer, and who has left does not wait for one.
                pass

    def of(self, probe: 'Probe') -> list[Request]:
        return [one for one in self.requests if int(one.probe) == probe.number and '.well-known' not in one.path]


PROBES: list['Probe'] = []


class Probe:
    """One odd way of an agent, what is asked of the client, and what it must report."""

    def __init__(self, title, act, holds, do='SendMessage', with_=None, patch=None, interfaces=None, options=None) -> None:
        self.number, self.title, self.act, self.holds, self.do = len(PROBES), title, act, holds, do
        self.with_ = with_ if with_ is not None else {'message': {'parts': [{'text': 'hi'}]}} if do.startswith('Send') else {'id': 't1'}
        self.patch, self.interfaces, self.options = patch or {}, interfaces, options or {}
        PROBES.append(self)

    def card(self, request: Request) -> None:
        base = f'{request.agent.url}/c/{self.number}'
        at = {'JSONRPC': f'{base}/rpc', 'HTTP+JSON': f'{base}/rest'}
        default = [{'url': at[BINDING], 'protocolBinding': BINDING, 'protocolVersion': '1.0'}]
        card = {'name': 'odd', 'description': 'odd', 'version': '1', 'skills': [], 'defaultInputModes': ['text/plain'],
                'defaultOutputModes': ['text/plain'], 'capabilities': {'streaming': True, 'pushNotifications': True},
                'supportedInterfaces': self.interfaces(base, at[BINDING]) if self.interfaces else default}
        if flow := getattr(self, 'oauth', None):
            flows = {flow: {'authorizationUrl': f'{base}/authorize', 'tokenUrl': f'{base}/token', 'scopes': {'a': 'b'}}}
            card |= {'securitySchemes': {'o': {'oauth2SecurityScheme': {'flows': flows}}}, 'securityRequirements': [{'schemes': {'o': {'list': []}}}]}
        request.answer(json.dumps(card | self.patch))


def reads(title, result, do='SendMessage', holds=None, **more):
    """A result that must be read."""
    Probe(title, lambda request: request.result(result), holds or (lambda told: told.last['say'] == 'result'), do=do, **more)


def streams(title, act, holds=None, **more):
    """A stream of three events that must be read."""
    Probe(title, act, holds or (lambda told: len(told.events) == 3 and told.last['say'] == 'end'), do='SendStreamingMessage', **more)


def fails(title, act, do='GetTask', **wanted):
    """What must be an error, of a kind or name where these are given."""
    Probe(title, act, lambda told: told.last['say'] == 'error' and all(told.last.get(key) == value for key, value in wanted.items()), do=do)


def define() -> None:
    message = {'messageId': 'm', 'role': 'ROLE_AGENT', 'parts': [{'text': 'x'}]}
    of_task = lambda **members: {'task': {**TASK, **members}}
    reads('read/unknown-member', {'task': {**TASK, 'new': 1, 'status': {**TASK['status'], 'new': {'a': 1}}}})
    reads('read/unknown-member-of-1.1', of_task(generation='3'))
    reads('read/null-members', of_task(artifacts=None, history=None, metadata=None, status={'state': 'TASK_STATE_COMPLETED', 'message': None}))
    reads('read/defaults-written', of_task(artifacts=[], history=[], metadata={}))
    reads('read/defaults-left-out', {}, do='ListTasks', with_={})
    reads('read/data-string', of_task(artifacts=[{'artifactId': 'a', 'parts': [{'data': 'text'}]}]))
    reads('read/data-null', of_task(artifacts=[{'artifactId': 'a', 'parts': [{'data': None}]}]))
    reads('read/data-deep', of_task(artifacts=[{'artifactId': 'a', 'parts': [{'data': json.loads('[' * 40 + ']' * 40)}]}]))
    reads('read/big-integers', of_task(artifacts=[{'artifactId': 'a', 'parts': [{'data': {'n': 2**70}}]}]))
    reads('read/time-without-fraction', of_task(status={'state': 'TASK_STATE_COMPLETED', 'timestamp': '2026-01-01T00:00:00Z'}))
    reads('read/time-nine-digits', of_task(status={'state': 'TASK_STATE_COMPLETED', 'timestamp': '2026-01-01T00:00:00.123456789Z'}))
    reads('read/unknown-state (result or error)', of_task(status={'state': 'TASK_STATE_PAUSED'}), holds=lambda told: True)
    reads('send/message', {'message': message}, holds=lambda told: 'message' in (told.last.get('value') or {}))
    reads('send/working-task', {'task': WORKING})
    reads('send/rejected', of_task(status={'state': 'TASK_STATE_REJECTED'}))
    odd = 'a/b?c#d%e f\u00fc'
    Probe('read/odd-ids arrive', lambda request: request.result({**TASK, 'id': odd}),
          lambda told: any(odd == one.params.get('id') or one.path.endswith('a%2Fb%3Fc%23d%25e%20f%C3%BC') for one in told.requests),
          do='GetTask', with_={'id': odd})

    streams('stream/plain', lambda request: request.stream())
    for name, end in (('cr', '\r'), ('crlf', '\r\n')):
        streams(f'sse/{name}', lambda request, end=end: request.stream(end=end))
    streams('sse/bom', lambda request: request.stream(begin='\ufeff'))
    streams('sse/comments', lambda request: request.stream(between=': hello\n\n:\n\n'))
    streams('sse/no-space', lambda request: request.stream(field='data:'))
    streams('sse/unknown-fields', lambda request: request.stream(between='foo: 1\nid: 7\nretry: 9\nevent: message\n'))

    def byte_by_byte(request):
        request.begin()
        for byte in request.events(end='\r\n'):
            request.send(bytes([byte]))
    whole = lambda told: len(told.events) == 3 and told.events[1]['value']['artifactUpdate']['artifact']['parts'][0]['text'] == 'grüße \U0001f30d'
    streams('sse/split-anywhere', byte_by_byte, whole)

    def within_a_character(request):
        request.begin()
        before, character, after = request.events().partition('\U0001f30d'.encode())
        request.send(before + character[:2], 0.2, character[2:] + after)
    streams('sse/split within a character', within_a_character, whole)
    streams('sse/media type with a charset', lambda request: (request.begin('Text/Event-Stream; charset=utf-8'), request.send(request.events())))

    def lines(request, end='\n'):
        request.begin()
        for event in THREE:
            text = json.dumps(json.loads(request.wrap(event)), indent=1)
            request.send((end.join(f'data: {line}' for line in text.split('\n')) + end + end).encode())
    streams('sse/multi-line-data', lines)
    streams('sse/multi-line-data ended by CR LF', lambda request: lines(request, '\r\n'))

    def slow(request):
        request.begin()
        for event in THREE:
            request.send(request.events([event]), 2.5)
    streams('stream/slow', slow)
    one = lambda told: len(told.events) == 1 and told.last['say'] == 'end'
    streams('stream/one-message', lambda request: request.stream([{'message': message}]), one)
    streams('stream/terminal-snapshot', lambda request: request.stream([{'task': TASK}]), one)
    streams('stream/ends-when-interrupted', lambda request: request.stream([{'task': WORKING}, update('INPUT_REQUIRED')]),
            lambda told: len(told.events) == 2 and told.last['say'] == 'end')
    streams('stream/goes-on-when-interrupted', lambda request: request.stream([{'task': WORKING}, update('AUTH_REQUIRED'), update('COMPLETED')]))
    streams('stream/task-again-at-the-end', lambda request: request.stream([*THREE[1:], {'task': TASK}]))
    streams('stream/unknown-event', lambda request: request.stream([THREE[0], {'futureUpdate': {'a': 1}}, THREE[2]]),
            lambda told: len(told.events) >= 2 and told.last['say'] == 'end')
    pieces = [THREE[0], artifact('a'), artifact('b', append=True), update('COMPLETED')]
    streams('stream/artifact-chunks', lambda request: request.stream(pieces), lambda told: len(told.events) == 4 and told.last['say'] == 'end')
    later = [THREE[0], update('OF_A_LATER_VERSION'), THREE[2]]
    streams('stream/unknown-state', lambda request: request.stream(later), lambda told: told.last['say'] == 'error' or len(told.events) == 3)
    streams('stream/unknown-member', lambda request: request.stream([{'task': {**WORKING, 'new': 1}}, *THREE[1:]]))
    error = lambda told: told.last['say'] == 'error'
    streams('stream/cut (close)', lambda request: request.stream(THREE[:2]), lambda told: len(told.events) == 2 and error(told))

    def chunked_cut(request):
        request.send(b'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n')
        piece = request.events(THREE[:2])
        request.send(f'{len(piece):x}\r\n'.encode() + piece + b'\r\n')
    streams('stream/cut (chunked)', chunked_cut, lambda told: len(told.events) == 2 and error(told))
    streams('stream/unfinished-event', lambda request: (request.begin(), request.send(request.events()[:-2])), lambda told: len(told.events) == 2 and error(told))
    streams('stream/error-instead', lambda request: request.error(), error)

    def error_in_stream(request):
        request.begin()
        request.send(request.events(THREE[:2]))
        body = {'jsonrpc': '2.0', 'id': request.id, 'error': {'code': -32603, 'message': 'boom'}} if request.rpc else {'error': {'code': 500, 'message': 'boom', 'status': 'INTERNAL'}}
        request.send(f'data: {json.dumps(body)}\n\n'.encode())
    streams('stream/error-in-stream', error_in_stream, lambda told: len(told.events) == 2 and error(told))
    streams('stream/204 is not asked again', lambda request: request.answer('', status=204), lambda told: error(told) and len(told.requests) == 1)

    for reason, code, status in (('TaskNotFoundError', -32001, 404), ('TaskNotCancelableError', -32002, 400), ('PushNotificationNotSupportedError', -32003, 400),
                                 ('UnsupportedOperationError', -32004, 400), ('ContentTypeNotSupportedError', -32005, 400), ('InvalidAgentResponseError', -32006, 500),
                                 ('ExtendedAgentCardNotConfiguredError', -32007, 400), ('ExtensionSupportRequiredError', -32008, 400), ('VersionNotSupportedError', -32009, 400)):
        upper = ''.join('_' + letter if letter.isupper() else letter.upper() for letter in reason.removesuffix('Error'))[1:]
        fails(f'errors/known {reason}', lambda request, code=code, upper=upper, status=status: request.error(code, upper, status), kind='agent', name=reason)
    fails('errors/bare', lambda request: request.error(data=None), kind='agent')
    more = [{'@type': 'type.googleapis.com/google.rpc.ErrorInfo', 'reason': 'TASK_NOT_FOUND', 'domain': 'a2a-protocol.org'}, {'@type': 'type.example/x', 'a': 1}]
    fails('errors/more-details', lambda request: request.error(data=more), kind='agent', name='TaskNotFoundError')
    Probe('errors/unknown-code', lambda request: request.error(-32099, 'OF_A_LATER_VERSION', 400),
          lambda told: told.last['say'] == 'error' and told.last['kind'] in ('agent', 'other'), do='GetTask')
    Probe('errors/problem-json', lambda request: request.answer(json.dumps({'type': 'https://a2a-protocol.org/errors/task-not-found', 'title': 'no', 'status': 404}), 404, 'application/problem+json'),
          lambda told: told.last['say'] == 'error' and told.last['kind'] != 'unreadable', do='GetTask')
    fails('http/html page with 502', lambda request: request.answer('<html>bad</html>', 502, 'text/html'))
    fails('http/html page with 200', lambda request: request.answer('<html>hi</html>', 200, 'text/html'))
    fails('http/connection-lost', lambda request: None)
    fails('http/short body', lambda request: request.send(b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"id"'))
    fails('http/401-challenge', lambda request: request.answer('', 401, headers='www-authenticate: Bearer realm="a", Basic realm="b"\r\n'))
    fails('read/task without id', lambda request: request.result({'status': {'state': 'TASK_STATE_COMPLETED'}}))
    Probe('http/503 with Retry-After', lambda request: request.answer('', 503, headers='retry-after: 1\r\n'), lambda told: told.last['say'] == 'error' and len(told.requests) == 1)
    Probe('http/chunked', lambda request: request.send(b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n' + b''.join(
        b'1\r\n' + bytes([byte]) + b'\r\n' for byte in request.wrap({'task': TASK}).encode()) + b'0\r\n\r\n'), lambda told: told.last['say'] == 'result')
    Probe('http/no-length', lambda request: request.send(b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n' + request.wrap({'task': TASK}).encode()), lambda told: told.last['say'] == 'result')
    for kind in ('application/json; charset=utf-8', 'APPLICATION/JSON', 'application/a2a+json'):
        Probe(f'http/media-types {kind}', lambda request, kind=kind: request.result({'task': TASK}, kind=kind), lambda told: told.last['say'] == 'result')

    def redirect(request):
        if 'moved' in request.path:
            return request.result({'task': TASK})
        place = '/rpc-moved' if request.rpc else '/rest-moved/message:send'
        request.answer('', 307, headers=f'location: /c/{request.probe}{place}\r\n')
    Probe('http/redirect', redirect, lambda told: told.last['say'] == 'error' or all(one.method == 'POST' for one in told.requests))

    if BINDING == 'JSONRPC':
        raw = lambda text: lambda request: request.answer(text.replace('ID', json.dumps(request.id)))
        task = json.dumps(TASK)
        Probe('rpc/member-order', raw(f'{{"result":{task},"more":1,"id":ID,"jsonrpc":"2.0"}}'), lambda told: told.last['say'] == 'result', do='GetTask')
        fails('rpc/error-with-null-id', lambda request: request.error(null=True), kind='agent', name='TaskNotFoundError')
        fails('rpc/error-status', lambda request: request.error(http=404), kind='agent', name='TaskNotFoundError')
        fails('rpc/another-id', raw(f'{{"jsonrpc":"2.0","id":"other","result":{task}}}'))
        fails('rpc/result-and-error', raw(f'{{"jsonrpc":"2.0","id":ID,"result":{task},"error":{{"code":-32603,"message":"x"}}}}'))
        fails('rpc/neither', raw('{"jsonrpc":"2.0","id":ID}'))
        streams('rpc/another-id in a stream', lambda request: (request.begin(), setattr(request, 'id', 'other'), request.send(request.events())), error)

    entry = lambda url, binding=None, version='1.0', **more: {'url': url, 'protocolBinding': binding or BINDING, 'protocolVersion': version, **more}
    answers = lambda request: request.result({'task': TASK})
    asked = lambda text: lambda told: bool(told.requests) and all(text in one.path for one in told.requests) and told.last['say'] == 'result'
    Probe('interface/duplicated', answers, asked('/1/'), interfaces=lambda base, at: [entry(at.replace('/c/', '/c/') + '/1/'), entry(at + '/2/')])
    Probe('interface/unknown-binding', answers, asked('/2/'), interfaces=lambda base, at: [entry(at + '/1/', 'https://example.org/own'), entry(at + '/2/')])
    Probe('interface/newer-version', answers, asked('/2/'), interfaces=lambda base, at: [entry(at + '/1/', version='2.0'), entry(at + '/2/')])
    Probe('interface/older-version', answers, asked('/2/'), interfaces=lambda base, at: [entry(at + '/1/', version='0.3'), entry(at + '/2/')])
    Probe('interface/patch-number', answers, lambda told: asked('/1/')(told) and told.requests[0].headers.get('a2a-version') == '1.0',
          interfaces=lambda base, at: [entry(at + '/1/', version='1.0.1')])
    Probe('interface/dead', answers, lambda told: told.last['say'] == 'result', interfaces=lambda base, at: [entry('http://127.0.0.1:9/'), entry(at)])
    for first, second in (('JSONRPC', 'HTTP+JSON'), ('HTTP+JSON', 'JSONRPC')):
        Probe(f'interface/{first} before {second}', answers, asked('/1/'), options={'bindings': None},
              interfaces=lambda base, at, first=first, second=second: [entry(f'{base}/{"rpc" if name == "JSONRPC" else "rest"}/{place}/', name)
                                                                       for place, name in ((1, first), (2, second))])
    Probe('tenant', answers, lambda told: told.last['say'] == 'result' and all(one.params.get('tenant') == 'T x' or '/T x/' in unquote(one.path) for one in told.requests),
          interfaces=lambda base, at: [entry(at, tenant='T x')])
    Probe('version on GetTask', lambda request: request.result(TASK), lambda told: told.requests[0].headers.get('a2a-version') == '1.0', do='GetTask')
    needs = {'capabilities': {'streaming': True, 'extensions': [{'uri': 'urn:must', 'required': True}]}}
    Probe('extensions/required and unknown', answers, lambda told: not told.requests, patch=needs)
    Probe('extensions/two in one header', answers, lambda told: {'urn:a', 'urn:b'} == {one.strip() for one in told.requests[0].headers.get('a2a-extensions', '').split(',')},
          options={'extensions': ['urn:a', 'urn:b']})
    Probe('capabilities/no streaming', lambda request: request.stream(), lambda told: not any('Stream' in str(one.body.get('method')) or 'stream' in one.path for one in told.requests),
          do='SendStreamingMessage', patch={'capabilities': {}})
    Probe('capabilities/no webhooks', answers, lambda told: not told.requests, do='CreateTaskPushNotificationConfig',
          with_={'taskId': 't1', 'url': 'https://example.org/'}, patch={'capabilities': {'streaming': True}})
    bearer = {'securitySchemes': {'odd': {'futureSecurityScheme': {}}, 'b': {'httpAuthSecurityScheme': {'scheme': 'bearer'}}},
              'securityRequirements': [{'schemes': {'odd': {'list': []}}}, {'schemes': {'b': {}}}]}
    Probe('card/unknown-scheme', answers, lambda told: told.requests[0].headers.get('authorization') == 'Bearer s', patch=bearer, options={'auth': {'b': {'token': 's'}}})
    for place in ('header', 'query', 'cookie'):
        def holds(told, place=place):
            request = told.requests[0]
            return {'header': request.headers.get('x-k') == 's', 'query': 'X-K=s' in request.path, 'cookie': 'X-K=s' in request.headers.get('cookie', '')}[place]
        key = {'securitySchemes': {'k': {'apiKeySecurityScheme': {'location': place, 'name': 'X-K'}}}, 'securityRequirements': [{'schemes': {'k': {'list': []}}}]}
        Probe(f'auth/key in a {place}', answers, holds, patch=key, options={'auth': {'k': {'key': 's'}}})
    basic = {'securitySchemes': {'k': {'httpAuthSecurityScheme': {'scheme': 'Basic'}}}, 'securityRequirements': [{'schemes': {'k': {'list': []}}}]}
    Probe('auth/basic', answers, lambda told: told.requests[0].headers.get('authorization') == 'Basic YTpi', patch=basic, options={'auth': {'k': {'user': 'a', 'password': 'b'}}})


class Told:
    def __init__(self, events, last, requests) -> None:
        self.events, self.last, self.requests = events, last, requests

    def __str__(self) -> str:
        asked = [f'{one.method} {one.path}' for one in self.requests]
        return f'{len(self.events)} events, then {json.dumps(self.last)[:300]}; asked {asked}'


class Scene:
    """A longer exchange about one probe."""

    def __init__(self, wrapper, agent: OddAgent, probe: Probe) -> None:
        self.wrapper, self.agent, self.probe, self.case = wrapper, agent, probe, f'p{probe.number}'
        self.url = f'{agent.url}/c/{probe.number}'
        self.last: dict = {}

    def ask(self, do: str, **members) -> dict:
        if do[0].isupper() or do in ('walk', 'follow', 'card'):
            members.setdefault('client', 'c')
        if 'with_' in members:
            members['with'] = members.pop('with_')
        if do not in self.wrapper.hello['does']:
            raise Skip(f'the wrapper has no {do}')
        self.events, self.last = self.wrapper.rest(self.wrapper.begin(self.case, do, **members))
        if self.last['say'] == 'unsupported':
            raise Skip(self.last['why'])
        return self.last

    def client(self, **options) -> dict:
        return self.ask('client', url=self.url, **{'as': 'c', 'bindings': [BINDING]} | options)

    def send(self, **message) -> dict:
        return self.ask('SendMessage', with_={'message': {'parts': [{'text': 'hi'}], **message}})

    @property
    def requests(self) -> list[Request]:
        return self.agent.of(self.probe)

    @property
    def cards(self) -> list[Request]:
        return [one for one in self.agent.requests if int(one.probe) == self.probe.number and '.well-known' in one.path]


class Skip(Exception):
    """The wrapper cannot do this."""


def any_answer(request: Request) -> None:
    """What a plain agent answers to any operation."""
    word = request.body.get('method') or request.path
    if 'tream' in word or 'ubscribe' in word:
        return request.stream()
    if word == 'SendMessage' or ':send' in word:
        return request.result({'task': TASK})
    if 'PushNotificationConfig' in word or 'pushNotificationConfigs' in word:
        return request.result({'id': 'h', 'taskId': 't1', 'url': 'https://example.org/'})
    if word == 'ListTasks' or urlsplit(word).path.endswith('/tasks'):
        return request.result({'tasks': [], 'nextPageToken': '', 'pageSize': 1, 'totalSize': 0})
    request.result(TASK)


def scene(title: str, **more):
    """The decorated function plays a scene, and returns whether all was right."""
    def decorate(plays):
        probe = Probe(title, more.pop('act', any_answer), None, **more)
        probe.plays = plays
        return plays
    return decorate


def scenes() -> None:
    entry = lambda at, **more: {'url': at, 'protocolBinding': BINDING, 'protocolVersion': '1.0', **more}
    bearer = {'securitySchemes': {'b': {'httpAuthSecurityScheme': {'scheme': 'Bearer'}}}, 'securityRequirements': [{'schemes': {'b': {'list': []}}}]}
    auth = {'b': {'token': 's'}}

    def every(scene) -> None:
        scene.send()
        scene.ask('SendStreamingMessage', with_={'message': {'parts': [{'text': 'hi'}]}})
        for do, with_ in (('GetTask', {'id': 't1'}), ('ListTasks', {}), ('CancelTask', {'id': 't1'}),
                          ('CreateTaskPushNotificationConfig', {'taskId': 't1', 'url': 'https://example.org/'})):
            if do in scene.wrapper.hello['does']:
                scene.ask(do, with_=with_)

    @scene('every request has its version')
    def version(scene):
        scene.client()
        every(scene)
        return len(scene.requests) > 3 and all(one.headers.get('a2a-version') == '1.0' for one in scene.requests)

    @scene('every request has its extensions')
    def extensions(scene):
        scene.client(extensions=['urn:a'])
        every(scene)
        return len(scene.requests) > 3 and all(one.headers.get('a2a-extensions') == 'urn:a' for one in scene.requests)

    @scene('every request has its tenant', interfaces=lambda base, at: [entry(at, tenant='Ten ant')])
    def tenants(scene):
        scene.client()
        every(scene)
        has = lambda one: '/Ten ant/' in unquote(one.path) or one.params.get('tenant') == 'Ten ant' or parse_qs(urlsplit(one.path).query).get('tenant') == ['Ten ant']
        return len(scene.requests) > 3 and all(has(one) for one in scene.requests)

    @scene('no request has a tenant that is not there', interfaces=lambda base, at: [
        {**entry(at, tenant='wrong'), 'protocolBinding': 'https://example.org/own'}, entry(at)])
    def no_tenant(scene):
        scene.client()
        scene.send()
        path = '/rpc' if BINDING == 'JSONRPC' else '/rest/message:send'
        return all('tenant' not in one.params and one.path.endswith(path) for one in scene.requests)

    @scene('every request has its credentials', patch=bearer)
    def credentials(scene):
        scene.client(auth=auth)
        every(scene)
        return len(scene.requests) > 3 and all(one.headers.get('authorization') == 'Bearer s' for one in scene.requests)

    two = {'securitySchemes': {'a': {'apiKeySecurityScheme': {'location': 'header', 'name': 'X-A'}}, 'b': bearer['securitySchemes']['b'],
                               'c': {'apiKeySecurityScheme': {'location': 'header', 'name': 'X-C'}}},
           'securityRequirements': [{'schemes': {'z': {'list': []}}}, {'schemes': {'a': {'list': []}, 'b': {'list': []}}}]}

    @scene('two credentials together, and no third', patch=two)
    def together(scene):
        scene.client(auth={'a': {'key': 'k'}, 'b': {'token': 's'}, 'c': {'key': 'x'}})
        scene.send()
        headers = scene.requests[0].headers
        return (headers.get('x-a'), headers.get('authorization'), headers.get('x-c')) == ('k', 'Bearer s', None)

    elsewhere = socket.create_server(('127.0.0.1', 0))
    elsewhere.settimeout(1)

    @scene('credentials go to no other origin', patch=bearer,
           act=lambda request: request.answer('', 307, headers=f'location: http://127.0.0.1:{elsewhere.getsockname()[1]}/x\r\n'))
    def stay(scene):
        threading.Thread(target=lambda: scene.client(auth=auth) and scene.send(), daemon=True).start()
        try:
            with elsewhere.accept()[0] as connection:
                return b'bearer s' not in connection.recv(65536).lower()
        except TimeoutError:
            return True

    @scene('credentials are not sent in the clear to other machines', patch=bearer, interfaces=lambda base, at: [entry('http://192.0.2.1/x')])
    def private(scene):
        scene.client(auth=auth)
        return scene.last['say'] == 'error' or scene.send().get('kind') == 'refused'

    if BINDING == 'JSONRPC':
        @scene('requests have the form of JSON-RPC')
        def form(scene):
            scene.client()
            every(scene)
            return all(one.body.get('jsonrpc') == '2.0' and type(one.id) in (int, str) and isinstance(one.params, dict) and one.method == 'POST'
                       and 'application/json' in one.headers['content-type'] and one.body['method'][0].isupper() for one in scene.requests)
    else:
        @scene('requests have the paths and queries of HTTP+JSON')
        def paths(scene):
            scene.client()
            scene.ask('GetTask', with_={'id': 't 1', 'historyLength': 0})
            scene.ask('ListTasks', with_={'pageSize': 2, 'pageToken': 'a&b=+ %'})
            scene.send()
            told = [(one.method, unquote(urlsplit(one.path).path.partition('/rest')[2]), parse_qs(urlsplit(one.path).query)) for one in scene.requests]
            return told == [('GET', '/tasks/t 1', {'historyLength': ['0']}), ('GET', '/tasks', {'pageSize': ['2'], 'pageToken': ['a&b=+ %']}), ('POST', '/message:send', {})]

        @scene('a base that ends in a slash', interfaces=lambda base, at: [entry(at + '/')])
        def slash(scene):
            scene.client()
            scene.send()
            return '//' not in scene.requests[0].path

    @scene('what the application says of a message is sent as it is')
    def message(scene):
        told = {'contextId': 'C/' + 'x' * 90, 'taskId': 'T 1', 'referenceTaskIds': ['r'], 'metadata': {'a': 1}}
        scene.client(**{'output-modes': ['text/x']})
        scene.send(**told)
        scene.send()
        first, second = (one.params for one in scene.requests)
        return (all(first['message'].get(name) == value for name, value in told.items()) and first['configuration']['acceptedOutputModes'] == ['text/x']
                and first['message']['messageId'] != second['message']['messageId'] and {'contextId', 'taskId', 'kind'}.isdisjoint(
                    {name for name, value in second['message'].items() if value}) and second['message']['role'] == 'ROLE_USER')

    @scene('webhooks have a token of their own, and no task in a message')
    def hooks(scene):
        scene.client()
        for _ in range(2):
            scene.ask('CreateTaskPushNotificationConfig', with_={'taskId': 't1', 'url': 'https://example.org/'})
        given = {'taskId': 't1', 'url': 'https://example.org/', 'token': 'mine', 'authentication': {'scheme': 'Bearer', 'credentials': 'c'}}
        scene.ask('CreateTaskPushNotificationConfig', with_=given)
        scene.ask('SendMessage', with_={'message': {'parts': [{'text': 'hi'}]}, 'configuration': {'taskPushNotificationConfig': given}})
        one, two, three, four = (request.params for request in scene.requests)
        return (one['token'] and one['token'] != two['token'] and three['token'] == 'mine' and three['authentication'] == given['authentication']
                and not four['configuration']['taskPushNotificationConfig'].get('taskId'))

    @scene('a webhook with http on another machine')
    def plain_hook(scene):
        scene.client()
        return scene.ask('CreateTaskPushNotificationConfig', with_={'taskId': 't1', 'url': 'http://192.0.2.1/'})['say'] == 'error'

    @scene('a webhook in a message to an agent without webhooks', patch={'capabilities': {}})
    def no_hooks(scene):
        scene.client()
        scene.ask('SendMessage', with_={'message': {'parts': [{'text': 'hi'}]}, 'configuration': {'taskPushNotificationConfig': {'url': 'https://example.org/'}}})
        return not scene.requests

    @scene('an extended card that is not announced')
    def no_extended(scene):
        scene.client()
        scene.ask('GetExtendedAgentCard', with_={})
        return not scene.requests

    def pages(request):
        token = request.params.get('pageToken') or parse_qs(urlsplit(request.path).query).get('pageToken', [''])[0]
        context = request.params.get('contextId') or parse_qs(urlsplit(request.path).query).get('contextId', [''])[0]
        odd = 'a&b=+ %' + 'x' * 200
        following = {'': (1, 'two'), 'two': (0, odd), odd: (1, '')}
        if token not in following or context != 'c1':
            return request.error(-32602, 'INVALID_PARAMS', 400)
        count, next_token = following[token]
        request.result({'tasks': [TASK] * count, 'nextPageToken': next_token, 'pageSize': count, 'totalSize': 2})

    @scene('a list is walked to its end', act=pages)
    def walk(scene):
        scene.client()
        told = scene.ask('walk', with_={'pageSize': 2, 'contextId': 'c1'}, most=6)
        return len((told.get('value') or {}).get('tasks', [])) == 2 and len(scene.requests) == 3

    for streaming in (False, True):
        def task(request):
            if 'ubscribe' in (request.body.get('method') or request.path):
                return request.answer('', 204)
            gets = len([one for one in request.agent.of(PROBES[int(request.probe)]) if 'ubscribe' not in (one.body.get('method') or one.path)])
            state = {1: 'WORKING', 2: 'AUTH_REQUIRED', 3: 'WORKING'}.get(gets, 'COMPLETED')
            request.result({**TASK, 'status': {'state': f'TASK_STATE_{state}'}})

        @scene(f'a task is followed to its end, streaming {streaming}', act=task, patch={'capabilities': {'streaming': streaming}})
        def follow(scene, streaming=streaming):
            scene.client()
            told = scene.ask('follow', with_={'id': 't1'})
            asked = sum('ubscribe' in (one.body.get('method') or one.path) for one in scene.requests)
            return (told.get('value') or {}).get('status', {}).get('state') == 'TASK_STATE_COMPLETED' and asked == streaming

    def cached(title, headers, second, right):
        probe = Probe(f'card/{title}', any_answer, None)
        plain = probe.card

        def card(request):
            if len(plays.scene.cards) > 1 and second == 304 and request.headers.get('if-none-match') == '"e1"':
                return request.answer('', 304, headers=headers)
            answer = request.answer
            request.answer = lambda text: answer(text, headers=headers)
            plain(request)

        def plays(scene):
            plays.scene = scene
            told = [scene.ask('resolve', url=scene.url, **{'as': name}) for name in ('a', 'b')]
            return all(one['say'] == 'result' for one in told) and right(scene.cards)
        probe.card, probe.plays = card, plays

    conditional = lambda cards: len(cards) == 2 and cards[1].headers.get('if-none-match') == '"e1"'
    cached('is fresh', 'cache-control: max-age=60\r\netag: "e1"\r\n', 200, lambda cards: len(cards) == 1)
    cached('not-modified', 'cache-control: max-age=0\r\netag: "e1"\r\n', 304, conditional)
    cached('no-cache', 'cache-control: no-cache, max-age=60\r\netag: "e1"\r\n', 304, conditional)
    cached('no-store', 'cache-control: no-store, max-age=60\r\n', 200, lambda cards: len(cards) == 2)
    cached('age', 'cache-control: max-age=60\r\nage: 60\r\netag: "e1"\r\n', 304, conditional)

    def extended(request):
        if 'xtendedAgentCard' in (request.body.get('method') or request.path):
            at = f'{request.agent.url}/c/{request.probe}/{"rpc" if BINDING == "JSONRPC" else "rest"}/new'
            return request.result({'name': 'extended', 'description': '', 'version': '1', 'skills': [], 'capabilities': {'extendedAgentCard': True}, **bearer,
                                   'supportedInterfaces': [entry(at)]})
        any_answer(request)

    @scene('card/extended-differs', act=extended, patch={'capabilities': {'extendedAgentCard': True}, **bearer})
    def extended_card(scene):
        scene.client(auth=auth)
        scene.ask('GetExtendedAgentCard', with_={})
        scene.send()
        told = scene.ask('card') if 'card' in scene.wrapper.hello['does'] else {'value': {'name': 'extended'}}
        first, second = scene.requests
        return told['value']['name'] == 'extended' and '/new' in second.path and first.headers.get('authorization') == 'Bearer s'

    codes: dict[str, str] = {}

    def issuer(request):
        if '/authorize' in request.path:
            query = {name: values[0] for name, values in parse_qs(urlsplit(request.path).query).items()}
            codes['challenge'] = query.get('code_challenge', '') if query.get('code_challenge_method') == 'S256' else ''
            return request.answer('', 302, headers=f'location: {query["redirect_uri"]}?code=c&state={query["state"]}\r\n')
        if '/token' in request.path:
            return request.answer(json.dumps({'access_token': 's', 'token_type': 'Bearer'}))
        any_answer(request)

    for flow in ('clientCredentials', 'authorizationCode'):
        probe_number = len(PROBES)

        @scene(f'oauth/{flow}', act=issuer)
        def oauth(scene, flow=flow):
            scene.client(auth={'o': {'client-id': 'i', 'client-secret': 'x'}})
            scene.send()
            form = {name: values[0] for one in scene.requests if '/token' in one.path for name, values in parse_qs(one.raw.decode()).items()}
            challenge = base64.urlsafe_b64encode(hashlib.sha256(form.get('code_verifier', '').encode()).digest()).decode().rstrip('=')
            return scene.requests[-1].headers.get('authorization') == 'Bearer s' and (flow == 'clientCredentials' or codes.get('challenge') == challenge)
        PROBES[probe_number].oauth = flow

    def deliver(url, body, **headers):
        place = urlsplit(url)
        connection = http.client.HTTPConnection(place.netloc, timeout=10)
        names = {'token': 'X-A2A-Notification-Token', 'authorization': 'Authorization'}
        connection.request('POST', place.path, json.dumps(body), {'content-type': 'application/a2a+json'} | {names[name]: value for name, value in headers.items()})
        return connection.getresponse().status

    def receiver(title, right, **expected):
        @scene(f'push/{title}')
        def receives(scene):
            if 'receive' not in scene.wrapper.hello['does']:
                raise Skip('the wrapper has no receive')
            number = scene.wrapper.begin(scene.case, 'receive', tasks=['t1'], **expected)
            url = scene.wrapper.next(number)['url']
            held = right(lambda body, **headers: deliver(url, body, **headers))
            scene.ask('cancel-stream', stream=number)
            scene.told = scene.wrapper.rest(number)[0]
            return held

    ok = range(200, 300)
    other = {'task': {**TASK, 'id': 't9'}}
    receiver('right, twice, foreign', lambda send: [send({'task': TASK}, token='s3') in ok, send({'task': TASK}, token='s3') in ok,
                                                    send(update('COMPLETED'), token='s3') in ok, send(other, token='s3') not in ok] == [True] * 4, token='s3')
    receiver('tokens', lambda send: [send({'task': TASK}, token='wrong') in range(400, 500), send({'task': TASK}) in range(400, 500),
                                     send({'task': TASK}, token='s') in range(400, 500)] == [True] * 3, token='s3')
    receiver('credentials', lambda send: [send({'task': TASK}, authorization='bearer c') in ok, send({'task': TASK}, authorization='Bearer d') in range(400, 500),
                                          send({'task': TASK}) in range(400, 500)] == [True] * 3, authentication={'scheme': 'Bearer', 'credentials': 'c'})
    receiver('200 in a second', lambda send: 429 in [send({'task': TASK}, token='s3') for _ in range(200)], token='s3')

    if shutil.which('openssl'):
        signatures(entry)
        tls(entry)

    lost: list[Request] = []

    @scene('a lost message goes out again under its own id', act=lambda request: lost.append(request))
    def again(scene):
        scene.client()
        scene.send()
        return scene.last['say'] == 'error' and len({one.params['message']['messageId'] for one in scene.requests}) == 1


def openssl(*words: str, data=b'') -> bytes:
    return subprocess.run(['openssl', *words], input=data, capture_output=True, check=True).stdout


def url64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip('=')


def signatures(entry) -> None:
    folder = tempfile.mkdtemp()
    keys = {}
    for kid in ('known', 'other'):
        path = f'{folder}/{kid}.pem'
        openssl('genrsa', '-out', path, '2048')
        modulus = bytes.fromhex(openssl('rsa', '-in', path, '-modulus', '-noout').decode().split('=')[1].strip())
        keys[kid] = path, {'kty': 'RSA', 'kid': kid, 'alg': 'RS256', 'n': url64(modulus), 'e': 'AQAB'}

    def sign(card: dict, kid: str, spoiled=False, alg='RS256', **header) -> dict:
        protected = url64(json.dumps({'alg': alg, 'typ': 'JOSE', 'kid': kid, **header}).encode())
        # Defaults that have no presence are not signed; this file has one, and no text beyond ASCII.
        signed = {**card, 'capabilities': {name: value for name, value in card['capabilities'].items() if name != 'extensions'}}
        payload = url64(json.dumps(signed, sort_keys=True, separators=(',', ':')).encode())
        signature = openssl('dgst', '-sha256', '-sign', keys[kid][0], data=f'{protected}.{payload}'.encode())
        signature = b'' if alg == 'none' else signature[:-1] + bytes([signature[-1] ^ 1]) if spoiled else signature
        return {'protected': protected, 'signature': url64(signature)}

    def signed(title, right, signers, **key):
        probe = Probe(f'signature/{title}', any_answer, None)

        def card(request):
            at = f'{request.agent.url}/c/{probe.number}/{"rpc" if BINDING == "JSONRPC" else "rest"}'
            card = {'version': '1', 'name': 'signed', 'description': '', 'skills': [], 'defaultOutputModes': ['text/plain'], 'defaultInputModes': ['text/plain'],
                    'capabilities': {'streaming': False, 'extensions': []}, 'supportedInterfaces': [entry(at)]}
            request.answer(json.dumps(card | {'signatures': [sign(card, **signer) for signer in signers(request.agent.url, probe.number)]}))

        def plays(scene):
            if key.pop('verify', False):
                scene.ask('resolve', url=scene.url, **{'as': 'card'})
                return scene.ask('verify', card='card', keys=None)['say'] == 'error' and not scene.requests
            scene.client(keys=[{'jwk': keys['known'][1], **key}])
            return (scene.last['say'] == 'result') == right
        probe.card, probe.plays = card, plays

    signed('right', True, lambda *_: [{'kid': 'known'}])
    signed('spoiled', False, lambda *_: [{'kid': 'known', 'spoiled': True}])
    signed('none', False, lambda *_: [{'kid': 'known', 'alg': 'none'}])
    signed('missing', False, lambda *_: [])
    signed('unknown key', False, lambda *_: [{'kid': 'other'}])
    signed('several, the second known', True, lambda *_: [{'kid': 'other'}, {'kid': 'known'}])
    signed('several, the first known', True, lambda *_: [{'kid': 'known'}, {'kid': 'other'}])
    signed('revoked key', False, lambda *_: [{'kid': 'known'}], revoked=True)
    signed('expired key', False, lambda *_: [{'kid': 'known'}], expires='2001-01-01T00:00:00Z')
    signed('keys over http', False, lambda url, number: [{'kid': 'known', 'jku': f'{url}/c/{number}/keys'}], verify=True)


def tls(entry) -> None:
    folder = tempfile.mkdtemp()

    def secure(title, right, name, trusted):
        path = f'{folder}/{len(PROBES)}.pem'
        openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=odd', '-keyout', f'{path}.key', '-out', path, '-days', '2',
                '-addext', f'subjectAltName={name}', '-addext', 'basicConstraints=critical,CA:FALSE')
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(path, f'{path}.key')
        agent = OddAgent(context)

        @scene(f'tls/{title}', interfaces=lambda base, at: [entry(at.replace('http://', 'https://').replace(urlsplit(at).netloc, urlsplit(agent.url).netloc))])
        def plays(scene):
            trust = {'trust': Path(path).read_text()} if trusted else {}
            scene.client(**trust)
            scene.send()
            return (scene.last['say'] == 'result') == right and bool(agent.requests) == right

    secure('right', True, 'IP:127.0.0.1', True)
    secure('untrusted', False, 'IP:127.0.0.1', False)
    secure('another name', False, 'DNS:elsewhere.example', True)


def play(wrapper, agent: OddAgent, probe: Probe) -> Told:
    case = f'p{probe.number}'
    if probe.holds is None:
        played = Scene(wrapper, agent, probe)
        try:
            right = probe.plays(played)
        except Skip as reason:
            return Told([], {'say': 'unsupported', 'why': str(reason)}, [])
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            right, played.last = False, {'say': repr(error), 'last': played.last}
        wrapper.ask(case, 'close')
        probe.holds = lambda told: right
        return Told([], played.last, played.requests)
    made = wrapper.ask(case, 'client', url=f'{agent.url}/c/{probe.number}', **{'as': 'c', 'bindings': [BINDING]} | probe.options)
    events, last = [], made
    if made['say'] == 'result':
        events, last = wrapper.rest(wrapper.begin(case, probe.do, client='c', **{'with': probe.with_}))
    wrapper.ask(case, 'close')
    return Told(events, last, agent.of(probe))


def main() -> int:
    global BINDING
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--binding', default='JSONRPC')
    parser.add_argument('--only', default='', help='only probes with this text in their title')
    parser.add_argument('--quick', action='store_true', help='without the probe that takes 8 s')
    parser.add_argument('command', nargs='+')
    given = parser.parse_args()
    BINDING = given.binding
    define()
    scenes()
    agent, wrapper, failed = OddAgent(), trying.Wrapper(given.command), 0
    try:
        for probe in PROBES:
            if given.only not in probe.title or (given.quick and probe.title == 'stream/slow'):
                continue
            try:
                told = play(wrapper, agent, probe)
            except trying.queue.Empty:
                failed += 1
                print(f'FAIL  {probe.title}: no answer', flush=True)
                continue
            if told.last['say'] == 'unsupported':
                print(f'skip  {probe.title}: {told.last["why"]}')
                continue
            try:
                holds = probe.holds(told)
            except (IndexError, KeyError, TypeError, AttributeError):
                holds = False
            failed += not holds
            print(f'{"pass" if holds else "FAIL"}  {probe.title}' + ('' if holds else f': {told}'), flush=True)
        print(f'{"FAILED" if failed else "passed"}: {failed} failed')
    finally:
        wrapper.process.kill()
    return bool(failed)


if __name__ == '__main__':
    sys.exit(main())
