"""The program that this package installs."""

import os
import shutil
import sysconfig
from functools import lru_cache
from importlib import metadata
from pathlib import Path


class A2aspecError(Exception):
    """The program could not be found or started, or could not do what was asked."""


@lru_cache(maxsize=None)
def program() -> str:
    """Return the path of the program.

    `A2ASPEC_PROGRAM` names another one. Otherwise it is the file that this package installed; an installation without the
    program, such as a checkout on `PYTHONPATH`, uses the one on the path.
    """
    named = os.environ.get("A2ASPEC_PROGRAM")
    found = Path(named) if named else _installed() or _on_path()
    if found is None or not found.is_file():
        raise A2aspecError("the program a2aspec was not found; run: pip install --force-reinstall a2aspec")
    if named is None and _is_script(found):
        raise A2aspecError(
            f"{found} belongs to another package, such as a2a-spec, which installs a command of the same name; "
            "run: pip install --force-reinstall a2aspec"
        )
    return str(found)


def _is_script(file: Path) -> bool:
    with file.open("rb") as opened:
        return opened.read(2) == b"#!"


def _installed() -> Path | None:
    """Return the file that the installer recorded for this package."""
    try:
        files = metadata.files("a2aspec") or []
    except metadata.PackageNotFoundError:
        return None
    found = next((file for file in files if file.stem == "a2aspec" and file.suffix in ("", ".exe")), None)
    return Path(str(found.locate())).resolve() if found else None


def _on_path() -> Path | None:
    """Return the program beside this interpreter, or on the path."""
    found = shutil.which("a2aspec", path=sysconfig.get_path("scripts")) or shutil.which("a2aspec")
    return Path(found) if found else None
