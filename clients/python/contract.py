"""The wrapper contract of `a2aspec client`, for a client in Python. It knows no SDK: `wrapper.py` has what is about one."""

import asyncio
import json
import os


class Unsupported(Exception):
    """The SDK has no public way to do this."""


class Wrapper:
    """Override these four: what this SDK is, a command with one result, one with events, and what an error is.

    `case` is a dictionary of the command's own case, to keep things in.
    """

    hello: dict = {}
    streams = ('SendStreamingMessage', 'SubscribeToTask')

    async def perform(self, c: dict, case: dict): ...

    async def events(self, c: dict, case: dict): ...

    def error(self, error: Exception) -> dict: ...

    async def serve(self) -> None:
        """Connects, greets, and does what it is told until the connection ends."""
        self._cases: dict[str, dict] = {}
        self._running: dict[int, asyncio.Task] = {}
        host, _, port = os.environ['A2ASPEC_WRAPPER'].removeprefix('tcp:').rpartition(':')
        reader, self._writer = await asyncio.open_connection(host.strip('[]'), int(port), limit=16 << 20)
        self._say(say='hello', contract=1, token=os.environ['A2ASPEC_WRAPPER_TOKEN'], **self.hello)
        while line := await reader.readline():
            c = json.loads(line)
            if 'id' in c:
                work = self._control if c['do'] in ('cancel-stream', 'close') else self._perform
                if c['do'] in self.streams:
                    self._case(c).setdefault('open', []).append(c['id'])
                self._running[c['id']] = asyncio.create_task(work(c))

    def _say(self, **answer) -> None:
        self._writer.write(json.dumps(answer).encode() + b'\n')

    def _case(self, c: dict) -> dict:
        return self._cases.setdefault(c['case'], {})

    async def _perform(self, c: dict) -> None:
        try:
            if c['do'] in self.streams:
                async for event in self.events(c, self._case(c)):
                    self._say(say='event', id=c['id'], value=event)
                self._say(say='end', id=c['id'], by='agent')
            else:
                async with asyncio.timeout(c['limit'] / 1000):
                    value = await self.perform(c, self._case(c))
                self._say(say='result', id=c['id'], value=value)
        except Unsupported as error:
            self._say(say='unsupported', id=c['id'], why=str(error))
        except Exception as error:
            told = {'kind': 'timeout'} if isinstance(error, TimeoutError) else self.error(error)
            self._say(say='error', id=c['id'], message=f'{type(error).__name__}: {error}', **told)

    async def _control(self, c: dict) -> None:
        """`cancel-stream` and `close`: what they end says so first."""
        cancels = c['do'] == 'cancel-stream'
        for number in [c['stream']] if cancels else self._cases.pop(c['case'], {}).get('open', []):
            if (task := self._running.get(number)) and not task.done():
                task.cancel()
                await asyncio.wait([task])
                self._say(say='end', id=number, by='cancel' if cancels else 'close')
        self._say(say='result', id=c['id'], value=None)
