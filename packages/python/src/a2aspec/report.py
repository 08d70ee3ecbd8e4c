"""What the program writes for other programs: the plan and the report of a run, both JSON with a schema of their own."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator, Sequence

from .locate import A2aspecError, program

#: The version of both forms that this module reads.
_SCHEMA = 1

#: How many characters of a body a failure text shows.
_MOST = 2_000


@dataclass(frozen=True)
class Case:
    """One case over one interface."""

    id: str
    profile: str
    binding: str
    level: str

    @property
    def area(self) -> str:
        """The first part of the id."""
        return self.id.split("/")[0]

    @property
    def interface(self) -> str:
        """The version and the binding, such as `1.0-jsonrpc`."""
        return f"{self.profile}-{self.binding}"


#: A case over an interface, as entries of a report name it.
_Key = tuple[str, str, str]


def _key(entry: dict[str, Any]) -> _Key:
    return entry["case"], entry["profile"], entry["binding"]


def _run(arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program(), *arguments], stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", errors="replace"
    )


def _read(text: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(text)
    if read["schema_version"] != _SCHEMA:
        raise A2aspecError(f"{program()} writes another version of its JSON: {read['schema_version']}, not {_SCHEMA}")
    return read


def plan(target: Sequence[str]) -> str:
    """Return the plan of a run, as JSON. Only the card and the version are requested from the agent."""
    done = _run(["check", *target, "--dry-run=json", "--quiet"])
    if done.returncode != 0:
        raise A2aspecError(done.stderr.strip())
    return done.stdout


def cases_of(plan: str) -> list[Case]:
    """Return the cases of a plan, in its order."""
    return [Case(case["case"], case["profile"], case["binding"], case["level"]) for case in _read(plan)["cases"]]


def check(arguments: Sequence[str], file: Path) -> str:
    """Run `a2aspec check`, and return its JSON report, which is also written to the file."""
    done = _run(["check", *arguments, "--report", f"json={file}", "--quiet"])
    # Wrong usage writes no report.
    if done.returncode == 2 or not file.is_file():
        raise A2aspecError(done.stderr.strip())
    return file.read_text(encoding="utf-8")


@dataclass(frozen=True)
class Result:
    """How a case came out."""

    #: One of the words of the report: `pass`, `fail`, `warn`, `note`, `flaky`, `skipped`, `unreached`, `broken`.
    verdict: str
    #: What was wrong, with the evidence, or why the case was not tested. Empty for `pass`.
    text: str
    #: The reason in the baseline, if the failure is known; it may be empty.
    known: str | None
    #: Whether the baseline lists a failure that no longer occurs.
    is_stale: bool


class Report:
    """The JSON report of a run."""

    def __init__(self, text: str) -> None:
        report = _read(text)
        self._error: dict[str, Any] | None = report.get("error")
        self._results = report["results"]
        self._indices = {_key(result): index for index, result in enumerate(self._results)}
        self._requirements = report["requirements"]
        self._problems = {
            (shown["result"], shown["finding"]): problem for problem in report["problems"] for shown in problem["evidence"]
        }
        self._cases = {case["id"]: case for case in report["cases"]}
        self._exchanges = {exchange["id"]: exchange for exchange in report["exchanges"]}
        baseline = report.get("baseline", {"known": {}, "stale": []})
        self._known = {int(index): reason or "" for index, reason in baseline["known"].items()}
        self._stale = {_key(entry) for entry in baseline["stale"]}

    @property
    def error(self) -> str | None:
        """Why there are no results, such as an agent that cannot be reached."""
        if self._error is None:
            return None
        return "\n".join([self._error["message"], *self._error.get("details", []), self._error.get("help", "")]).rstrip()

    def result(self, case: Case) -> Result | None:
        """Return the result of a case, or `None` if the run does not have it."""
        key = (case.id, case.profile, case.binding)
        index = self._indices.get(key)
        if index is None:
            return None
        result = self._results[index]
        text = "\n".join(self._lines(index, result))
        return Result(result["verdict"], text, self._known.get(index), key in self._stale)

    def _lines(self, index: int, result: dict[str, Any]) -> Iterator[str]:
        if "reason" in result:
            yield result["reason"]
        for number, finding in enumerate(result["findings"]):
            yield finding["message"]
            yield from self._requirement(index, number)
            source = f" ({finding['source']})" if "source" in finding else ""
            yield f"  case      {result['case']} over {result['binding']} in {result['profile']}{source}"
            yield from self._exchange(finding["exchange"])
        if "findings_left_out" in result:
            yield f"and {result['findings_left_out']} more findings"
        if result["findings"] or result["verdict"] in ("unreached", "broken"):
            yield from self._help(result)

    def _requirement(self, index: int, number: int) -> Iterator[str]:
        """The requirement that a finding violates."""
        problem = self._problems.get((index, number))
        if problem is None or problem["requirement"] is None:
            return
        requirement = self._requirements[problem["requirement"]]
        yield f"  requires  {requirement['id']} ({requirement['level']}, section {requirement['section']})"
        yield f"            {requirement['text']}"
        for link in requirement.get("links", []):
            yield f"            {link['url']}"

    def _exchange(self, number: int | None) -> Iterator[str]:
        exchange = self._exchanges.get(number)
        if exchange is None:
            return
        request, response = exchange["request"], exchange["response"]
        yield f"  request   {request['method']} {request['url']} (exchange {number})"
        yield from _message(request)
        if response is None:
            yield f"  response  none: {exchange.get('ended', 'the connection was closed')}"
            return
        yield f"  response  HTTP {response['status']} after {exchange['elapsed_ms']:.0f} ms"
        yield from _message(response)

    def _help(self, result: dict[str, Any]) -> Iterator[str]:
        """What helps with a case, and how to run it again."""
        case = self._cases.get(result["case"])
        if case is None:
            return
        if result["findings"]:
            yield f"  why       {case['why']}"
            yield f"  fix       {case['fix']}"
        for again in case["rerun"]:
            if (again["profile"], again["binding"]) == (result["profile"], result["binding"]):
                yield f"  rerun     {again['command']}"


def _message(message: dict[str, Any]) -> Iterator[str]:
    """The headers, the body and the trailers of a request or a response."""
    for name, value in message["headers"].items():
        yield f"            {name}: {value}"
    body = message["body"]
    is_cut = len(body) > _MOST or "body_cut" in message
    yield from (f"            {line}" for line in body[:_MOST].splitlines())
    if is_cut:
        yield "            ... (cut)"
    for name, value in message.get("trailers", {}).items():
        yield f"            {name}: {value}"
