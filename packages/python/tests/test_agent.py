"""The reference agent as a test double."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Callable

import pytest

import a2aspec
from a2aspec import A2aspecError, ReferenceAgent


def get_task(url: str, task: str) -> dict[str, Any]:
    """Ask for a task over JSON-RPC, as a client would."""
    call = {"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {"id": task}}
    headers = {"Content-Type": "application/json", "A2A-Version": "1.0"}
    request = urllib.request.Request(f"{url}/1.0", json.dumps(call).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as response:
        answer: dict[str, Any] = json.load(response)
    return answer


def card(url: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"{url}/.well-known/agent-card.json", timeout=60) as response:
        read: dict[str, Any] = json.load(response)
    return read


def test_an_agent_serves_until_it_is_stopped() -> None:
    with ReferenceAgent(version="1.0") as agent:
        assert card(agent.url)["name"] == "Reference agent"
        assert get_task(agent.url, "none")["error"]["code"] == -32001
    agent.stop()
    with pytest.raises(urllib.error.URLError):
        card(agent.url)


def test_a_fault_changes_an_answer(a2a_reference_agent: Callable[..., ReferenceAgent]) -> None:
    right, wrong = a2a_reference_agent(version="1.0"), a2a_reference_agent(version="1.0", fault="get/unknown-is-internal")
    assert get_task(right.url, "none")["error"]["code"] == -32001
    assert get_task(wrong.url, "none")["error"]["code"] == -32603


def test_a_version_and_arguments_reach_the_agent(a2a_reference_agent: Callable[..., ReferenceAgent]) -> None:
    old = a2a_reference_agent(version="0.3", arguments=["--without", "streaming"])
    assert card(old.url)["protocolVersion"].startswith("0.3")
    assert card(old.url)["capabilities"].get("streaming") is not True


def test_an_unknown_fault_is_an_error() -> None:
    with pytest.raises(A2aspecError, match="there is no fault `none/such`"):
        ReferenceAgent(fault=["get/other-task", "none/such"])


def test_the_program_of_another_package_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "a2aspec"
    script.write_text("#!/usr/bin/env python3\n")
    script.chmod(0o755)
    monkeypatch.delenv("A2ASPEC_PROGRAM", raising=False)
    monkeypatch.setattr("a2aspec.locate._installed", lambda: script)
    a2aspec.program.cache_clear()
    try:
        with pytest.raises(A2aspecError, match="belongs to another package"):
            a2aspec.program()
    finally:
        a2aspec.program.cache_clear()
