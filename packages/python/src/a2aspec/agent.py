"""The reference agent as a test double."""

from __future__ import annotations

import re
import subprocess
import tempfile
import threading
from types import TracebackType
from typing import IO, Iterable, Sequence

from .locate import A2aspecError, program

_URL = re.compile(r"https?://\S+")

#: How long the agent may take to end before it is killed, in seconds.
_PATIENCE = 5


class ReferenceAgent:
    """A correct A2A agent on a free port of this machine, for tests of clients.

    Args:
        version: Serve only this version of the protocol, such as `"1.0"`. By default the agent serves all of them.
        fault: Violate these requirements; `a2aspec agent --list-faults` lists them.
        arguments: Further arguments of `a2aspec agent`, such as `["--without", "streaming"]`.

    Use it as a context manager, or call `stop` at the end:

        with ReferenceAgent(version="1.0") as agent:
            client = connect(agent.url)
    """

    #: The URL of the agent, without a slash at its end. The card is at `/.well-known/agent-card.json` below it.
    url: str

    def __init__(
        self, *, version: str | None = None, fault: str | Iterable[str] = (), arguments: Sequence[str] = ()
    ) -> None:
        command = [program(), "agent", "--port", "0"]
        if version is not None:
            command += ["--only", version]
        for name in [fault] if isinstance(fault, str) else fault:
            command += ["--fault", name]
        # A file never fills up, as a pipe that is not read would.
        self._errors: IO[bytes] = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            [*command, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._errors
        )
        output = self._process.stdout
        assert output is not None
        found = _URL.search(output.readline().decode())
        if found is None:
            self.stop()
            raise A2aspecError(f"the reference agent did not start: {self._said()}")
        self.url = found[0].rstrip("/")
        threading.Thread(target=output.read, daemon=True).start()

    def stop(self) -> None:
        """Stop the agent. A second call has no effect."""
        self._process.terminate()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _said(self) -> str:
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace").strip()

    def __enter__(self) -> ReferenceAgent:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
