"""The plugin, in sessions of its own."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Iterator

import pytest

import a2aspec
from a2aspec import ReferenceAgent

#: A test file of a user who starts the agent in a fixture.
OWN_AGENT = """
import pytest
from a2aspec import ReferenceAgent

@pytest.fixture(scope="session")
def a2a_agent():
    with ReferenceAgent(version="1.0", fault="get/other-task") as agent:
        yield agent.url

def test_conformance(a2a_case):
    a2a_case.verify()
"""


@pytest.fixture(scope="module")
def wrong() -> Iterator[str]:
    """The URL of an agent that violates a MUST and a SHOULD."""
    with ReferenceAgent(version="1.0", fault=["get/other-task", "get/unknown-is-internal"]) as agent:
        yield agent.url


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    """Run pytest in a process of its own, so that its workers are those of a user."""
    return pytester.runpytest_subprocess("-p", "no:cacheprovider", *arguments)


def test_each_case_over_each_interface_is_a_test(pytester: pytest.Pytester, wrong: str) -> None:
    result = run(pytester, "--a2a-url", wrong, "-k", "get/existing or get/empty-id", "-v", "--strict-markers")
    result.assert_outcomes(passed=2, failed=3, deselected=result.parseoutcomes()["deselected"])
    result.stdout.fnmatch_lines(
        [
            "a2a::get/empty-id?1.0-jsonrpc? PASSED*",
            "a2a::get/existing?1.0-jsonrpc? FAILED*",
            "a2a::get/existing?1.0-http-json? FAILED*",
            "a2a::get/existing?1.0-grpc? FAILED*",
            # The evidence of the first failure.
            '`/id` in the response to GetTask is "fresh-*", expected "task-*"',
            "  requires  1.0-3.1.3-1 (MUST, section 3.1.3)",
            "            https://a2a-protocol.org/*",
            "  request   POST http*/1.0 (exchange *)",
            '            {"jsonrpc":"2.0",*"method":"GetTask"*',
            "  response  HTTP 200 after * ms",
            '            {"jsonrpc":"2.0",*"result":{"id":"fresh-*',
            "  fix       *",
            "  rerun     a2aspec check *--only get/existing --profile 1.0 --binding jsonrpc",
        ]
    )
    # No line of the plugin is evidence.
    result.stdout.no_fnmatch_line("*pytest_plugin.py*")


def test_markers_select_levels_and_areas(pytester: pytest.Pytester, wrong: str) -> None:
    should = run(pytester, "--a2a-url", wrong, "-m", "a2a_should and a2a_get", "--collect-only", "-q")
    should.stdout.fnmatch_lines(["a2a::get/missing-id?1.0-jsonrpc?"])
    should.stdout.no_fnmatch_line("a2a::get/existing*")
    should.stdout.no_fnmatch_line("a2a::stream/*")


def test_settings_select_interfaces(pytester: pytest.Pytester, wrong: str) -> None:
    pytester.makeini("[pytest]\na2a_profiles = 1.0\na2a_bindings = grpc\na2a_args = --timeout 60\n")
    result = run(pytester, "--a2a-url", wrong, "--collect-only", "-q")
    result.stdout.fnmatch_lines(["a2a::get/existing?1.0-grpc?"])
    result.stdout.no_fnmatch_line("a2a::get/existing?1.0-jsonrpc?")


def test_known_failures_are_xfail(pytester: pytest.Pytester, wrong: str) -> None:
    known = "known:\n- {case: get/existing, profile: '1.0', binding: jsonrpc, violated: [/id], reason: ticket 12}\n"
    stale = "- {case: get/empty-id, profile: '1.0', binding: jsonrpc, violated: [error]}\n"
    pytester.path.joinpath("known.yaml").write_text(known + stale)
    selection = "(get/existing or get/empty-id) and jsonrpc"
    result = run(pytester, "--a2a-url", wrong, "--a2a-baseline", "known.yaml", "-k", selection, "-rx")
    assert {key: result.parseoutcomes().get(key) for key in ("failed", "xfailed")} == {"failed": 1, "xfailed": 1}
    result.stdout.fnmatch_lines(["*XPASS(strict)* known.yaml lists a failure that no longer occurs", "XFAIL *ticket 12"])


def test_an_agent_of_a_fixture_is_tested(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_agent=OWN_AGENT)
    result = run(pytester, "-k", "get/existing or get/empty-id", "-v")
    result.assert_outcomes(passed=2, failed=3, deselected=result.parseoutcomes()["deselected"])
    result.stdout.fnmatch_lines(
        ["test_agent.py::test_conformance?get/existing-1.0-jsonrpc? FAILED*", '`/id` in the response to GetTask is "fresh-*', "  rerun     *"]
    )


def test_interfaces_that_are_not_tested_are_skipped(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_agent=OWN_AGENT)
    pytester.makeini("[pytest]\na2a_args = --binding jsonrpc\n")
    result = run(pytester, "-k", "get/existing-1.0-grpc or get/empty-id-1.0-jsonrpc", "-rs")
    result.assert_outcomes(passed=1, skipped=1, deselected=result.parseoutcomes()["deselected"])
    result.stdout.fnmatch_lines(["SKIPPED*the agent's card does not declare 1.0 over grpc"])


def test_without_an_agent_each_test_says_what_is_missing(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_conformance(a2a_case): a2a_case.verify()")
    result = run(pytester, "-k", "get/existing-1.0-grpc")
    result.assert_outcomes(errors=1, deselected=result.parseoutcomes()["deselected"])
    result.stdout.fnmatch_lines(["*define a fixture `a2a_agent` that returns a URL, or pass --a2a-url*"])


def test_a_violated_should_is_a_warning_or_a_failure(pytester: pytest.Pytester) -> None:
    with ReferenceAgent(version="1.0", fault="get/bad-id-is-internal") as agent:
        selection = ("--a2a-url", agent.url, "-k", "get/missing-id")
        lenient = run(pytester, *selection)
        lenient.assert_outcomes(passed=1, warnings=1, deselected=lenient.parseoutcomes()["deselected"])
        strict = run(pytester, *selection, "--a2a-fail-on", "should")
        strict.assert_outcomes(failed=1, deselected=strict.parseoutcomes()["deselected"])


def test_an_agent_that_cannot_be_reached_is_an_error(pytester: pytest.Pytester) -> None:
    result = run(pytester, "--a2a-url", "http://127.0.0.1:1")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["error: the agent at http://127.0.0.1:1/* cannot be reached*", "help: *"])


@pytest.mark.skipif(os.name == "nt", reason="the counting program is a script of a Unix shell")
def test_workers_of_xdist_share_one_run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    counting = pytester.path / "counting"
    counting.write_text(f'#!/bin/sh\necho "$1 $*" >>{pytester.path}/runs\nexec {a2aspec.program()} "$@"\n')
    counting.chmod(counting.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("A2ASPEC_PROGRAM", str(counting))
    pytester.makepyfile(test_agent=OWN_AGENT)
    result = run(pytester, "-n", "2", "-k", "get/")
    assert result.parseoutcomes()["failed"] == 6
    runs = Path(pytester.path / "runs").read_text().splitlines()
    checks = [line for line in runs if line.startswith("check")]
    # One for the plan, one for the results.
    assert len(checks) == 2, runs
