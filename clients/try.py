#!/usr/bin/env python3
"""Tries a wrapper: plays the exchanges of the contract with it, and prints what passes.

    clients/try.py [--agent PATH] [--binding JSONRPC|HTTP+JSON] -- COMMAND...

The agent is the reference agent (`a2aspec agent`), behind a proxy that records what is asked. This is for whoever writes a
wrapper or a client here. It judges no client: `a2aspec client` does that.
"""

import argparse
import http.client
import http.server
import json
import os
import queue
import socket
import subprocess
import sys
import threading
import time
import urllib.parse

LIMIT = 10_000


class Agent:
    """The reference agent, behind a proxy that records requests."""

    def __init__(self, program: str) -> None:
        self.requests: list[dict] = []
        self.left = threading.Event()
        self.process = subprocess.Popen([program, 'agent', '--port', '0', '--only', '1.0'], stdout=subprocess.PIPE, text=True)
        self.behind = self.process.stdout.readline().split('http://')[1].strip()
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), self.handler())
        server.daemon_threads = True
        self.address = f'127.0.0.1:{server.server_port}'
        threading.Thread(target=server.serve_forever, daemon=True).start()

    def handler(agent):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'

            def pass_on(self) -> None:
                body = self.rfile.read(int(self.headers.get('content-length') or 0))
                agent.requests.append({'method': self.command, 'path': urllib.parse.unquote(self.path), 'body': body.decode(),
                                       'headers': {name.lower(): value for name, value in self.headers.items()}})
                upstream = http.client.HTTPConnection(agent.behind, timeout=30)
                headers = {name: value for name, value in self.headers.items() if name.lower() not in ('host', 'connection')}
                upstream.request(self.command, self.path, body or None, headers)
                answer = upstream.getresponse()
                streams = 'event-stream' in (answer.headers.get('content-type') or '')
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    if name.lower() not in ('content-length', 'transfer-encoding', 'connection', 'date', 'server', 'etag'):
                        self.send_header(name, value)
                if not streams:
                    # The card names the proxy, so that all that follows comes here, too.
                    body = answer.read().replace(agent.behind.encode(), agent.address.encode())
                    self.send_header('content-length', str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                    return
                self.send_header('connection', 'close')
                self.close_connection = True
                self.end_headers()
                upstream_socket = answer.fp.raw._sock

                def watch() -> None:
                    try:
                        if not self.connection.recv(1):
                            agent.left.set()
                            upstream_socket.shutdown(socket.SHUT_RDWR)
                    except OSError:
                        pass
                threading.Thread(target=watch, daemon=True).start()
                try:
                    while piece := answer.read1(65536):
                        self.wfile.write(piece)
                        self.wfile.flush()
                except (OSError, http.client.HTTPException):
                    pass
                upstream.close()

            do_GET = do_POST = do_DELETE = pass_on

            def log_message(self, *_) -> None:
                pass
        return Handler

    def seen(self, text: str) -> int:
        """How many requests have a text in their path or body."""
        return sum(text in one['path'] or text in one['body'] for one in self.requests)


class Wrapper:
    """A wrapper that was started, and its connection."""

    def __init__(self, command: list[str]) -> None:
        listener = socket.create_server(('127.0.0.1', 0))
        listener.settimeout(30)
        environment = os.environ | {'A2ASPEC_WRAPPER': f'tcp:127.0.0.1:{listener.getsockname()[1]}', 'A2ASPEC_WRAPPER_TOKEN': '6f1c'}
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
        self.connection, _ = listener.accept()
        self.lines = self.connection.makefile('rw', encoding='utf-8', newline='\n')
        self.hello = json.loads(self.lines.readline())
        self.answers: dict[int, queue.Queue] = {}
        self.number = 0
        self.say({'do': 'welcome', 'contract': 1, 'jobs': 8})
        threading.Thread(target=self.read, daemon=True).start()

    def say(self, message: dict) -> None:
        self.lines.write(json.dumps(message, ensure_ascii=False) + '\n')
        self.lines.flush()

    def read(self) -> None:
        for line in self.lines:
            answer = json.loads(line)
            answer['at'] = time.monotonic()
            self.answers[answer['id']].put(answer)

    def begin(self, case: str, do: str, **members) -> int:
        self.number += 1
        self.answers[self.number] = queue.Queue()
        self.say({'id': self.number, 'case': case, 'do': do, 'limit': LIMIT, **members})
        return self.number

    def next(self, number: int) -> dict:
        return self.answers[number].get(timeout=LIMIT / 1000 + 5)

    def rest(self, number: int) -> tuple[list[dict], dict]:
        events = []
        while (answer := self.next(number))['say'] in ('event', 'ready'):
            events.append(answer)
        return events, answer

    def ask(self, case: str, do: str, **members) -> dict:
        return self.rest(self.begin(case, do, **members))[1]

    def end(self) -> int:
        """Closes the connection; the wrapper ends within 5 s."""
        self.connection.shutdown(socket.SHUT_RDWR)
        try:
            return self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return -1


class Trial:
    """One wrapper against one agent, exchange by exchange."""

    def __init__(self, wrapper: Wrapper, agent: Agent, binding: str) -> None:
        self.wrapper, self.agent, self.binding = wrapper, agent, binding
        self.url = f'http://{agent.address}'
        self.failed = 0

    def can(self, *words: str) -> bool:
        return set(words) <= set(self.wrapper.hello['does'])

    def check(self, title: str, holds: bool, seen='') -> None:
        self.failed += not holds
        print(f'{"pass" if holds else "FAIL"}  {title}' + ('' if holds else f': {str(seen)[:400]}'), flush=True)

    def client(self, case: str, **options) -> dict:
        return self.wrapper.ask(case, 'client', url=self.url, **{'as': 'c'}, bindings=[self.binding], **options)

    def send(self, case: str, text: str, **message) -> dict:
        with_ = {'message': {'parts': [{'text': text}], **message}}
        return self.wrapper.ask(case, 'SendMessage', client='c', **{'with': with_})

    def run(self) -> None:
        w, agent = self.wrapper, self.agent
        self.check('greeting', w.hello.get('say') == 'hello' and w.hello.get('contract') == 1 and w.hello.get('token') == '6f1c', w.hello)
        self.check('required words', self.can('resolve', 'client', 'close', 'SendMessage'), w.hello)
        card = w.ask('k1', 'resolve', url=self.url, **{'as': 'card'})
        self.check(' 1 the card is asked of the given URL', agent.seen('/.well-known/agent-card.json') == 1, card)
        self.check('   and told', card.get('value', {}).get('supportedInterfaces') is not None, card)
        w.ask('k2', 'resolve', url=self.url, **{'as': 'card'})
        self.check(' 2 a new case asks again', agent.seen('/.well-known/agent-card.json') == 2)
        made = w.ask('k1', 'client', card='card', **{'as': 'c'}, bindings=[self.binding])
        if made['say'] == 'unsupported':
            made = w.ask('k1', 'client', card='card', **{'as': 'c'})
        self.check('   a client of the card', made['say'] == 'result', made)
        if self.can('GetTask'):
            unknown = f'unknown-{os.getpid()}'
            told = w.ask('k1', 'GetTask', client='c', **{'with': {'id': unknown}})
            self.check(' 3 an id that nobody knew arrives', agent.seen(unknown) == 1, told)
            self.check(' 6 an error of the agent is an error', told['say'] == 'error', told)
            self.check('   of the agent, TaskNotFoundError', (told.get('kind'), told.get('name')) == ('agent', 'TaskNotFoundError'), told)
        text = 'grüße, 世界 \U0001f30d'
        sent = self.send('k1', text)
        arrived = any(text in json.dumps(json.loads(one['body']), ensure_ascii=False) for one in agent.requests if one['body'])
        self.check(' 4 letters beyond ASCII arrive', arrived, agent.requests[-1])
        self.check(' 5 and come back', text in json.dumps(sent.get('value'), ensure_ascii=False), sent)
        header = agent.requests[-1]['headers'].get('a2a-version')
        self.check('11 the SDK says its version', header == '1.0', agent.requests[-1])
        dead = w.ask('k4', 'resolve', url='http://127.0.0.1:9', **{'as': 'card'})
        self.check(' 7 a dead port is an error', dead['say'] == 'error', dead)
        if self.can('GetTask', 'CancelTask'):
            self.conversation()
        if self.can('SendStreamingMessage'):
            self.streams()
        if self.can('SendStreamingMessage', 'cancel-stream'):
            self.left()
        if w.hello.get('jobs') != 1:
            self.side_by_side()
        if self.can('CreateTaskPushNotificationConfig'):
            self.webhooks()
        if self.can('walk'):
            walked = w.ask('k1', 'walk', client='c', **{'with': {'pageSize': 1}}, most=50)
            self.check('   a list is walked', len(walked.get('value', {}).get('tasks', [])) > 1, walked)
        if self.can('follow'):
            task = self.send_now('k1', 'slow')
            followed = w.ask('k1', 'follow', client='c', **{'with': {'id': task.get('id')}})
            self.check('   a task is followed to its end', state(followed) == 'TASK_STATE_COMPLETED', followed)
        if self.can('receive'):
            self.receiver()
        w.ask('k1', 'close')
        told = self.send('k1', 'complete')
        self.check('12 close frees the names', told['say'] == 'error', told)
        code = w.end()
        self.check('   the wrapper ends with its connection', code is not None and code >= 0, code)

    def send_now(self, case: str, text: str) -> dict:
        with_ = {'message': {'parts': [{'text': text}]}, 'configuration': {'returnImmediately': True}}
        return self.wrapper.ask(case, 'SendMessage', client='c', **{'with': with_}).get('value', {}).get('task', {})

    def conversation(self) -> None:
        task = self.send('k1', 'input-required').get('value', {}).get('task', {})
        got = self.wrapper.ask('k1', 'GetTask', client='c', **{'with': {'id': task.get('id')}})
        self.check('   a task is read', state(got) == 'TASK_STATE_INPUT_REQUIRED', got)
        continued = self.send('k1', 'complete', taskId=task.get('id'), contextId=task.get('contextId'))
        self.check('   and continued', state(continued) == 'TASK_STATE_COMPLETED', continued)
        waiting = self.send('k1', 'input-required').get('value', {}).get('task', {})
        cancelled = self.wrapper.ask('k1', 'CancelTask', client='c', **{'with': {'id': waiting.get('id')}})
        self.check('   a task is cancelled', state(cancelled) == 'TASK_STATE_CANCELED', cancelled)
        again = self.wrapper.ask('k1', 'CancelTask', client='c', **{'with': {'id': waiting.get('id')}})
        self.check('   and not twice', again.get('name') == 'TaskNotCancelableError', again)
        message = self.send('k1', 'message')
        self.check('   a message is told', 'message' in message.get('value', {}), message)

    def streams(self) -> None:
        number = self.wrapper.begin('k1', 'SendStreamingMessage', client='c', **{'with': {'message': {'parts': [{'text': 'slow'}]}}})
        events, end = self.wrapper.rest(number)
        self.check(' 8 three events arrive', len(events) >= 3 and (end.get('say'), end.get('by')) == ('end', 'agent'), (events, end))
        self.check('   before the stream ends', bool(events) and end['at'] - events[0]['at'] > 0.5, (events, end))

    def left(self) -> None:
        self.agent.left.clear()
        number = self.wrapper.begin('k1', 'SendStreamingMessage', client='c', **{'with': {'message': {'parts': [{'text': 'slow'}]}}})
        first = self.wrapper.next(number)
        cancelled = self.wrapper.ask('k1', 'cancel-stream', stream=number)
        _, end = self.wrapper.rest(number)
        self.check(' 9 cancel-stream closes the connection', self.agent.left.wait(5), (first, end, cancelled))
        told = (end.get('say'), end.get('by'), cancelled.get('say'), end.get('at', 0) <= cancelled['at'])
        self.check('   and the stream ends first', told == ('end', 'cancel', 'result', True), told)

    def side_by_side(self) -> None:
        self.client('k5'), self.client('k6')
        before = time.monotonic()
        one, two = (self.wrapper.begin(case, 'SendMessage', client='c', **{'with': {'message': {'parts': [{'text': 'slow'}]}}}) for case in ('k5', 'k6'))
        ends = [self.wrapper.rest(number)[1] for number in (one, two)]
        took = [end['at'] - before for end in ends]
        self.check('10 two commands are under way at once', all(end['say'] == 'result' for end in ends) and max(took) < 1.6 * min(took), (took, ends))

    def webhooks(self) -> None:
        task = self.send('k1', 'input-required').get('value', {}).get('task', {})
        hook = {'taskId': task.get('id'), 'id': 'h1', 'url': 'http://127.0.0.1:9/hook', 'token': 's3'}
        made = self.wrapper.ask('k1', 'CreateTaskPushNotificationConfig', client='c', **{'with': hook})
        listed = self.wrapper.ask('k1', 'ListTaskPushNotificationConfigs', client='c', **{'with': {'taskId': task.get('id')}})
        name = {'taskId': task.get('id'), 'id': made.get('value', {}).get('id')}
        got = self.wrapper.ask('k1', 'GetTaskPushNotificationConfig', client='c', **{'with': name})
        gone = self.wrapper.ask('k1', 'DeleteTaskPushNotificationConfig', client='c', **{'with': name})
        self.check('   a webhook is set, read, listed, deleted',
                   [one['say'] for one in (made, listed, got, gone)] == ['result'] * 4 and len(listed['value'].get('configs', [])) == 1,
                   (made, listed, got, gone))

    def receiver(self) -> None:
        task = self.send('k1', 'input-required').get('value', {}).get('task', {})
        number = self.wrapper.begin('k1', 'receive', tasks=[task.get('id')], token='s3')
        ready = self.wrapper.next(number)
        hook = {'taskId': task.get('id'), 'url': ready.get('url'), 'token': 's3'}
        self.wrapper.ask('k1', 'CreateTaskPushNotificationConfig', client='c', **{'with': hook})
        self.send('k1', 'complete', taskId=task.get('id'))
        event = self.wrapper.next(number)
        self.check('   a notification is received', event['say'] == 'event', event)
        closed = self.wrapper.ask('k1', 'cancel-stream', stream=number)
        _, end = self.wrapper.rest(number)
        self.check('   and its receiver closed', (end.get('say'), end.get('by'), closed['say']) == ('end', 'cancel', 'result'), (end, closed))


def state(answer: dict) -> str:
    value = answer.get('value') or {}
    return value.get('task', value).get('status', {}).get('state', '')


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--agent', default='target/debug/a2aspec', help='the program with `agent`')
    parser.add_argument('--binding', default='JSONRPC')
    parser.add_argument('command', nargs='+')
    given = parser.parse_args()
    agent = Agent(given.agent)
    wrapper = None
    try:
        wrapper = Wrapper(given.command)
        trial = Trial(wrapper, agent, given.binding)
        trial.run()
        print(f'{"FAILED" if trial.failed else "passed"}: {trial.failed} failed')
        return bool(trial.failed)
    finally:
        agent.process.terminate()
        if wrapper:
            wrapper.process.kill()


if __name__ == '__main__':
    sys.exit(main())
