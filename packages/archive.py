"""Makes the archive of a release: archive.py PROGRAM NAME WHEEL FOLDER

The archive `NAME.tar.gz`, or `NAME.zip` for Windows, has the program, completions, manual pages, the licence, the readme, the changelog
and the list of its components (SBOM, CycloneDX) from the wheel. Equal input makes equal bytes: files are in order and have no time and no owner.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

#: Where each shell looks for a completion script of this name.
COMPLETIONS = {"bash": "a2aspec.bash", "elvish": "a2aspec.elv", "fish": "a2aspec.fish", "powershell": "_a2aspec.ps1", "zsh": "_a2aspec"}

#: The first time that a zip file can have.
EPOCH = (1980, 1, 1, 0, 0, 0)


def files(program: Path, wheel: Path) -> dict[str, bytes]:
    """Return the files of the archive by name."""

    def ask(*arguments: str) -> bytes:
        return subprocess.run([program, *arguments], check=True, stdout=subprocess.PIPE).stdout

    made = {name: (ROOT / name).read_bytes() for name in ("CHANGELOG.md", "LICENSE", "README.md")}
    made[program.name] = program.read_bytes()
    made["sbom.cdx.json"] = components(wheel)
    made |= {f"completions/{name}": ask("completions", shell) for shell, name in COMPLETIONS.items()}
    made["man/a2aspec.1"] = ask("man")
    # The first page names the others, such as a2aspec\-check(1).
    for command in re.findall(rb"^a2aspec\\-([a-z\\-]+)\(1\)", made["man/a2aspec.1"], re.MULTILINE):
        name = command.decode().replace("\\", "")
        if name != "help":
            made[f"man/a2aspec-{name}.1"] = ask("man", name)
    return dict(sorted(made.items()))


def components(wheel: Path) -> bytes:
    """Return the list of components without the time at which it was made, and without the number of that occasion."""
    with zipfile.ZipFile(wheel) as archive:
        [name] = (name for name in archive.namelist() if name.endswith("/sboms/a2aspec.cyclonedx.json"))
        read = json.loads(archive.read(name))
    read.pop("serialNumber", None)
    read.get("metadata", {}).pop("timestamp", None)
    return json.dumps(read, indent=2).encode()


def tar(name: str, made: dict[str, bytes], program: str) -> bytes:
    """Return a compressed tar archive."""
    packed = io.BytesIO()
    with gzip.GzipFile("", "wb", fileobj=packed, mtime=0) as stream, tarfile.open(fileobj=stream, mode="w") as archive:
        for path, content in made.items():
            entry = tarfile.TarInfo(f"{name}/{path}")
            entry.size = len(content)
            entry.mode = 0o755 if path == program else 0o644
            archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def zipped(name: str, made: dict[str, bytes]) -> bytes:
    """Return a zip archive."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in made.items():
            archive.writestr(zipfile.ZipInfo(f"{name}/{path}", EPOCH), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def main(program: Path, name: str, wheel: Path, folder: Path) -> None:
    """Write the archive into the folder."""
    made = files(program, wheel)
    folder.mkdir(parents=True, exist_ok=True)
    if program.suffix == ".exe":
        (folder / f"{name}.zip").write_bytes(zipped(name, made))
    else:
        (folder / f"{name}.tar.gz").write_bytes(tar(name, made, program.name))


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]))
