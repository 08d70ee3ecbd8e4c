"""What the processes of one test session make once and share."""

from __future__ import annotations

import hashlib
import shutil
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Callable, Iterator

from .locate import A2aspecError

if sys.platform == "win32":
    import msvcrt
    import time

    def _lock(file: IO[bytes]) -> None:
        # It gives up after ten seconds; a run takes longer.
        while True:
            try:
                return msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
            except OSError:
                time.sleep(0.1)

else:
    import fcntl

    def _lock(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX)


class Shared:
    """A folder that the processes of a session share. The first process that needs a text makes it."""

    def __init__(self, folder: str | None) -> None:
        """Use the folder of the process that started this one, or make one."""
        self._is_owner = folder is None
        self._folder = Path(folder) if folder is not None else None
        self._texts: dict[str, str] = {}
        self._errors: dict[str, A2aspecError] = {}

    @property
    def folder(self) -> Path:
        """The folder, which is made when it is first needed."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="a2aspec-"))
        return self._folder

    def once(self, name: str, make: Callable[[Path], str]) -> str:
        """Return the text of a name. If no process has made it, make it; `make` can use the file that it is given."""
        if name in self._errors:
            raise self._errors[name]
        if name not in self._texts:
            try:
                self._texts[name] = self._made(name, make)
            except A2aspecError as error:
                self._errors[name] = error
                raise
        return self._texts[name]

    def _made(self, name: str, make: Callable[[Path], str]) -> str:
        file = self.folder / hashlib.sha256(name.encode()).hexdigest()
        with self._locked():
            if not file.is_file():
                file.write_text(make(file.with_suffix(".made")), encoding="utf-8")
        return file.read_text(encoding="utf-8")

    @contextmanager
    def _locked(self) -> Iterator[None]:
        # The system releases the lock if the process ends.
        with (self.folder / "lock").open("wb") as file:
            _lock(file)
            yield

    def remove(self) -> None:
        """Remove the folder, if this process made it."""
        if self._is_owner and self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
