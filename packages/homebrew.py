"""Prints the formula for Homebrew of a release: homebrew.py VERSION REPOSITORY-URL SHA256SUMS"""

from __future__ import annotations

import sys
from pathlib import Path

#: The blocks of a formula, each with the target of the archive for it.
SYSTEMS = {
    ("macos", "arm"): "aarch64-apple-darwin",
    ("macos", "intel"): "x86_64-apple-darwin",
    ("linux", "arm"): "aarch64-unknown-linux-musl",
    ("linux", "intel"): "x86_64-unknown-linux-musl",
}

FORMULA = """\
class A2aspec < Formula
  desc "Conformance suite for the Agent2Agent (A2A) protocol"
  homepage "{repository}"
  version "{version}"
  license "Apache-2.0"

{systems}
  def install
    bin.install "a2aspec"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/a2aspec.bash" => "a2aspec"
    fish_completion.install "completions/a2aspec.fish"
    zsh_completion.install "completions/_a2aspec"
  end

  test do
    assert_match version.to_s, shell_output("#{{bin}}/a2aspec --version")
    system bin/"a2aspec", "selftest", "--quick", "--only", "get"
  end
end
"""

SYSTEM = """\
  on_{system} do
    on_{cpu} do
      url "{url}"
      sha256 "{sum}"
    end
  end
"""


def formula(version: str, repository: str, sums: dict[str, str]) -> str:
    """Return the formula; `sums` has the checksum of each archive."""
    blocks = []
    for (system, cpu), target in SYSTEMS.items():
        name = f"a2aspec-{version}-{target}.tar.gz"
        url = f"{repository}/releases/download/v{version}/{name}"
        blocks.append(SYSTEM.format(system=system, cpu=cpu, url=url, sum=sums[name]))
    return FORMULA.format(repository=repository, version=version, systems="\n".join(blocks))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    lines = Path(sys.argv[3]).read_text(encoding="utf-8").splitlines()
    known = {name.lstrip("*"): checksum for checksum, name in (line.split() for line in lines)}
    print(formula(sys.argv[1], sys.argv[2], known), end="")
