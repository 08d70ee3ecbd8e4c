"""The plugin for pytest: cases as tests, and the reference agent as a fixture.

`pytest --a2a-url URL` adds a test for each case over each interface of the agent. Without the option, a test that requests the
fixture `a2a_case` becomes these tests; it checks the agent of the fixture `a2a_agent`, which the user defines.
"""

from __future__ import annotations

import warnings
from typing import Any, Callable, Iterable, Iterator

import pytest

from .agent import ReferenceAgent
from .locate import A2aspecError
from .report import Case, Report, Result, cases_of, check, plan
from .shared import Shared

_SHARED = pytest.StashKey[Shared]()
_REPORTS = pytest.StashKey[dict[str, Report]]()

#: The id of the parent of all tests that `--a2a-url` adds.
_NODE = "a2a"


class A2aspecWarning(pytest.PytestWarning):
    """A violated SHOULD, or a case that failed and passed when it was run again."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options and the settings."""
    group = parser.getgroup("a2aspec", "conformance to the Agent2Agent (A2A) protocol")
    group.addoption("--a2a-url", metavar="URL", help="Add a test for each case over each interface of this agent")
    group.addoption(
        "--a2a-baseline", metavar="FILE", help="Known failures (a2aspec check --write-baseline); these tests are xfail"
    )
    group.addoption(
        "--a2a-fail-on", choices=["must", "should"], default="must", help="Lowest level that fails a test [default: must]"
    )
    parser.addini("a2a_args", "Further arguments of `a2aspec check`", type="args", default=[])
    parser.addini("a2a_profiles", "Versions of the protocol to test, such as 1.0", type="args", default=[])
    parser.addini("a2a_bindings", "Bindings to test: jsonrpc, http-json, grpc", type="args", default=[])


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers, and prepare the folder that workers of pytest-xdist share."""
    config.addinivalue_line("markers", "a2a: tests of A2A conformance")
    config.addinivalue_line("markers", "a2a_LEVEL: cases of a level: a2a_must, a2a_should, a2a_may")
    config.addinivalue_line("markers", "a2a_AREA: cases of an area, such as a2a_stream; `a2aspec list` prints the areas")
    config.stash[_SHARED] = Shared(getattr(config, "workerinput", {}).get("a2a_folder"))
    config.stash[_REPORTS] = {}


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Pass the shared folder to a worker of pytest-xdist."""
    node.workerinput["a2a_folder"] = str(node.config.stash[_SHARED].folder)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the shared folder."""
    config.stash[_SHARED].remove()


def _interfaces(config: pytest.Config) -> list[str]:
    """The flags that select versions and bindings."""
    profiles = config.getini("a2a_profiles") or ([] if config.getoption("--a2a-url") else ["1.0"])
    selected = [("--profile", profile) for profile in profiles]
    selected += [("--binding", binding) for binding in config.getini("a2a_bindings")]
    return [word for flag in selected for word in flag]


def _cases(config: pytest.Config) -> list[Case]:
    """The cases that can be tests.

    The plan of an agent that pytest has not started yet is unknown. The plan of the reference agent has every case over every
    interface, also the cases that do not apply to an agent.
    """
    url = config.getoption("--a2a-url")
    target = ["--self"] if url is None else [url, *config.getini("a2a_args")]
    cases = cases_of(config.stash[_SHARED].once("plan", lambda _: plan([*target, *_interfaces(config)])))
    for name in sorted({name for case in cases for name in _marker_names(case)}):
        # Their names are known only now, and --strict-markers demands them.
        config.addinivalue_line("markers", f"{name}: see a2a_LEVEL and a2a_AREA")
    return cases


def _marker_names(case: Case) -> list[str]:
    return [f"a2a_{case.level.lower()}", f"a2a_{case.area.replace('-', '_')}"]


def _markers(case: Case) -> list[pytest.MarkDecorator]:
    return [getattr(pytest.mark, name) for name in ["a2a", *_marker_names(case)]]


def _report(config: pytest.Config, name: str, url: str, cases: Callable[[], Iterable[Case]]) -> Report:
    """Check an agent once for all tests of a name, and return the report."""
    reports = config.stash[_REPORTS]
    if name not in reports:
        only = (flag for case in sorted({case.id for case in cases()}) for flag in ("--only", case))
        arguments = [url, *config.getini("a2a_args"), *_interfaces(config), *only]
        baseline = config.getoption("--a2a-baseline")
        arguments += ["--baseline", baseline] if baseline else []
        reports[name] = Report(config.stash[_SHARED].once(name, lambda file: check(arguments, file)))
    return reports[name]


def _judge(case: Case, report: Report) -> Result | None:
    """Return the result of a case that was tested. Other cases are skipped, or are errors if the run failed.

    There is none if the agent's card does not declare the interface.
    """
    if report.error is not None:
        raise A2aspecError(report.error)
    result = report.result(case)
    if result is None:
        return None
    if result.verdict in ("skipped", "unreached"):
        pytest.skip(f"{result.verdict}: {result.text}")
    if result.verdict == "broken":
        raise A2aspecError(f"the case could not be tested: {result.text}")
    return result


def _verify(config: pytest.Config, result: Result) -> None:
    """Fail if the result is a violation."""
    __tracebackhide__ = True
    fails = ["fail", "warn"] if config.getoption("--a2a-fail-on") == "should" else ["fail"]
    if result.is_stale:
        pytest.fail(f"[XPASS(strict)] {config.getoption('--a2a-baseline')} lists a failure that no longer occurs", pytrace=False)
    if result.known is not None:
        pytest.xfail(result.known or "known failure")
    if result.verdict in fails:
        pytest.fail(result.text, pytrace=False)
    if result.verdict in ("warn", "flaky"):
        warnings.warn(A2aspecWarning(f"{result.verdict}: {result.text}"), stacklevel=1)


class _Agent(pytest.Collector):
    """The agent of `--a2a-url`."""

    def collect(self) -> Iterator[pytest.Item]:
        try:
            cases = _cases(self.config)
        except A2aspecError as error:
            raise self.CollectError(str(error)) from error
        for case in cases:
            item: _Item = _Item.from_parent(self, name=f"{case.id}[{case.interface}]", case=case)
            for marker in _markers(case):
                item.add_marker(marker)
            yield item


class _Item(pytest.Item):
    """A case over an interface."""

    def __init__(self, *, case: Case, **others: Any) -> None:
        super().__init__(**others)
        self.case = case
        self.result: Result | None = None

    def setup(self) -> None:
        report = _report(self.config, _NODE, self.config.getoption("--a2a-url"), self._selected)
        self.result = _judge(self.case, report)
        if self.result is None:
            # The plan was made of the card.
            raise A2aspecError("the run has no result for this case; did the agent's card change?")

    def _selected(self) -> Iterator[Case]:
        return (item.case for item in self.session.items if isinstance(item, _Item))

    def runtest(self) -> None:
        assert self.result is not None
        _verify(self.config, self.result)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, A2aspecError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        return self.path, None, self.name


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add the tests of `--a2a-url`, unless a test of the user's requests the cases. First, so that -k and -m select of them."""
    has_own = any("a2a_case" in getattr(item, "fixturenames", ()) for item in items)
    if config.getoption("--a2a-url") is not None and not has_own:
        items.extend(session.genitems(_Agent.from_parent(session, name=_NODE, nodeid=_NODE)))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make a test of each case out of a function that requests `a2a_case`."""
    if "a2a_case" in metafunc.fixturenames:
        try:
            cases = _cases(metafunc.config)
        except A2aspecError as error:
            pytest.fail(str(error), pytrace=False)
        parameters = [pytest.param(case, id=f"{case.id}-{case.interface}", marks=_markers(case)) for case in cases]
        metafunc.parametrize("a2a_case", parameters, indirect=True)


class A2aCase:
    """A case over an interface of the agent, as a test has it."""

    def __init__(self, case: Case, verify: Callable[[], None]) -> None:
        self.id = case.id
        self.profile = case.profile
        self.binding = case.binding
        self.level = case.level
        self._verify = verify

    def verify(self) -> None:
        """Fail with the evidence if the agent violates a requirement."""
        __tracebackhide__ = True
        self._verify()


@pytest.fixture(scope="session")
def a2a_agent(pytestconfig: pytest.Config) -> str:
    """The URL of the agent: that of `--a2a-url`. Define a fixture of this name to start an agent of your own."""
    url: str | None = pytestconfig.getoption("--a2a-url")
    if url is None:
        pytest.fail("no agent: define a fixture `a2a_agent` that returns a URL, or pass --a2a-url", pytrace=False)
    return url


@pytest.fixture
def a2a_case(request: pytest.FixtureRequest, a2a_agent: str) -> A2aCase:
    """One case over one interface; `verify` fails if the agent violates a requirement."""
    config, case = request.config, request.param
    name = _function(request.node)

    def selected() -> Iterator[Case]:
        items: Iterable[Any] = request.session.items
        own = (item for item in items if "a2a_case" in getattr(item, "fixturenames", ()))
        return (item.callspec.params["a2a_case"] for item in own if _function(item) == name)

    try:
        result = _judge(case, _report(config, name, a2a_agent, selected))
    except A2aspecError as error:
        pytest.fail(str(error), pytrace=False)
    if result is None:
        pytest.skip(f"the agent's card does not declare {case.profile} over {case.binding}")
    return A2aCase(case, lambda: _verify(config, result))


def _function(item: Any) -> str:
    """A name that is equal for all cases of one function, with one set of its other parameters."""
    others = sorted((name, repr(value)) for name, value in item.callspec.params.items() if name != "a2a_case")
    return f"{item.nodeid.split('[')[0]} {others}"


@pytest.fixture
def a2a_reference_agent() -> Iterator[Callable[..., ReferenceAgent]]:
    """Start reference agents, which stop at the end of the test: `a2a_reference_agent(version="1.0", fault="get/other-task")`."""
    started: list[ReferenceAgent] = []

    def start(
        *, version: str | None = None, fault: str | Iterable[str] = (), arguments: Iterable[str] = ()
    ) -> ReferenceAgent:
        agent = ReferenceAgent(version=version, fault=fault, arguments=list(arguments))
        started.append(agent)
        return agent

    yield start
    for agent in started:
        agent.stop()
