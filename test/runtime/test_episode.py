"""The state machine of an episode: every state, every transition."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

from openenv_bridge.episode import TRANSITIONS, Episode, State
from openenv_bridge.mask import (
    Failure,
    PeerDropped,
    ProviderUnavailable,
    SessionExpired,
    ShutDown,
    Unscored,
    WrongTools,
)
from openenv_bridge.rewards import Verdict
from openenv_bridge.row import Task

ROW = Task("train", 0, "day-0", [])
ROW_WITHOUT_TOOLS = Task("train", 0, "day-0", None)


class FakeEnvironment:
    """An environment whose operations wait for the test, and then do what the test has set."""

    def __init__(self) -> None:
        self.done = False
        self.difference: str | None = None
        self.closed = 0
        self.called: list[str] = []
        self.may_continue = asyncio.Event()
        self.raises: Failure | None = None
        self.wrong_tools = False

    async def _operation(self) -> None:
        await self.may_continue.wait()
        if self.raises:
            raise self.raises

    async def reset(self) -> None:
        await self._operation()

    async def call(self, tool: str, arguments: bytes) -> str:
        self.called.append(tool)
        await self._operation()
        return f"{tool} answered"

    async def finish(self, reply: str) -> None:
        await self._operation()
        self.done = True

    def verdict(self) -> Verdict:
        if self.raises:
            raise self.raises
        return Verdict(0.5)

    def check_tools(self, row_tools: list[dict[str, Any]]) -> None:
        if self.wrong_tools:
            raise WrongTools("other tools")

    def close(self) -> None:
        self.closed += 1


async def episode(state: State, task: Task = ROW) -> tuple[Episode, FakeEnvironment]:
    """Return an episode that was brought into ``state``."""
    environment = FakeEnvironment()
    made = Episode(task, environment)  # pyright: ignore[reportArgumentType]
    await asyncio.sleep(0)
    if state is State.SEEDING:
        return made, environment
    environment.may_continue.set()
    if state is State.MASKED:
        environment.raises = ProviderUnavailable("the reset failed")
    if state is State.ENDED:
        environment.done = True
    await settle(made)
    environment.raises = None
    if state is State.CLOSED:
        made.close()
    assert made.state is state
    return made, environment


async def settle(made: Episode) -> None:
    while made.pending:
        await asyncio.sleep(0)


async def call(made: Episode, tool: str = "tool") -> str:
    return await made.call(tool, b"{}", once=True)


@pytest.mark.parametrize("state", State)
def test_every_state_has_its_transitions(state: State) -> None:
    assert state not in TRANSITIONS[state]
    assert State.CLOSED in TRANSITIONS[state] or state is State.CLOSED


SEEDS = [
    ({}, State.PLAYING),
    ({"done": True}, State.ENDED),
    ({"raises": ProviderUnavailable("the reset failed")}, State.MASKED),
    ({"done": True, "raises": Unscored("no reward")}, State.MASKED),
]


@pytest.mark.parametrize(("changes", "state"), SEEDS)
async def test_a_seed_leads_to(changes: dict[str, Any], state: State) -> None:
    made, environment = await episode(State.SEEDING)
    vars(environment).update(changes)
    environment.may_continue.set()
    await settle(made)
    assert made.state is state
    assert (made.verdict is not None) == (state is not State.PLAYING)
    assert bool(environment.closed) == (state is not State.PLAYING)


CALLS = [
    ({}, State.PLAYING, "tool answered"),
    ({"done": True}, State.ENDED, "tool answered"),
    ({"raises": PeerDropped("gone")}, State.MASKED, "The episode has ended. The environment failed: gone"),
]


@pytest.mark.parametrize(("changes", "state", "read"), CALLS)
async def test_a_call_leads_to(changes: dict[str, Any], state: State, read: str) -> None:
    made, environment = await episode(State.PLAYING)
    vars(environment).update(changes)
    assert await call(made) == read
    assert made.state is state


FINISHES = [
    (State.PLAYING, {}, State.ENDED, 0.5),
    (State.PLAYING, {"raises": PeerDropped("gone")}, State.MASKED, 0.0),
    (State.ENDED, {}, State.ENDED, 0.5),
    (State.MASKED, {}, State.MASKED, 0.0),
    (State.CLOSED, {}, State.CLOSED, 0.0),
]


@pytest.mark.parametrize(("state", "changes", "then", "reward"), FINISHES)
async def test_a_verify_leads_to(state: State, changes: dict[str, Any], then: State, reward: float) -> None:
    made, environment = await episode(state)
    vars(environment).update(changes)
    verdict = await made.finish("bye", [])
    assert (made.state, verdict.reward, verdict.mask is None) == (then, reward, then is State.ENDED)
    assert await made.finish("other", []) == verdict


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("failure", [SessionExpired("idle"), ShutDown("stopped")])
async def test_an_outside_event_masks_only_open_episodes(state: State, failure: Failure) -> None:
    made, environment = await episode(state)
    before, closed = made.verdict, environment.closed
    made.mask(failure)
    if state in (State.SEEDING, State.PLAYING):
        assert made.state is State.MASKED
        assert made.verdict == Verdict(mask=failure.mask())
        assert environment.closed == closed + 1
    else:
        assert (made.state, made.verdict, environment.closed) == (state, before, closed)
    await settle(made)


@pytest.mark.parametrize("state", State)
async def test_a_close_keeps_a_verdict_or_masks(state: State) -> None:
    made, environment = await episode(state)
    before = made.verdict
    made.close()
    assert made.state is State.CLOSED
    assert made.verdict is not None
    assert made.verdict == before or (before is None and made.verdict.mask)
    assert environment.closed
    await settle(made)


@pytest.mark.parametrize("state", [State.ENDED, State.MASKED, State.CLOSED])
async def test_no_tool_is_called_after_the_end(state: State) -> None:
    made, environment = await episode(state)
    assert (await call(made)).startswith("The episode has ended.")
    assert environment.called == []


@pytest.mark.parametrize("state", [State.PLAYING, State.ENDED])
async def test_tools_that_are_first_known_at_verify_are_compared_there(state: State) -> None:
    made, environment = await episode(state, ROW_WITHOUT_TOOLS)
    environment.wrong_tools = True
    verdict = await made.finish("bye", [])
    assert made.state is State.MASKED
    assert verdict.reward == 0
    assert verdict.mask is not None
    assert verdict.mask.kind == "openenv:wrong_tools"


async def test_calls_wait_for_the_seed_and_run_in_order() -> None:
    made, environment = await episode(State.SEEDING)
    calls = [asyncio.create_task(call(made, f"tool{n}")) for n in range(3)]
    verify = asyncio.create_task(made.finish("bye", []))
    await asyncio.sleep(0.01)
    assert environment.called == []
    environment.may_continue.set()
    assert await asyncio.gather(*calls) == ["tool0 answered", "tool1 answered", "tool2 answered"]
    assert (await verify).reward == 0.5
    assert environment.called == ["tool0", "tool1", "tool2"]


async def test_a_call_that_waited_for_a_failed_seed_gets_the_reason() -> None:
    made, environment = await episode(State.SEEDING)
    waiting = asyncio.create_task(call(made))
    await asyncio.sleep(0)
    environment.raises = ProviderUnavailable("the reset failed")
    environment.may_continue.set()
    assert await waiting == "The episode has ended. The environment failed: the reset failed"


async def test_the_first_reason_stays_and_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    made, environment = await episode(State.PLAYING)
    environment.may_continue.clear()
    waiting = asyncio.create_task(call(made))
    await asyncio.sleep(0)
    made.mask(SessionExpired("idle\nfor long"))
    environment.raises = PeerDropped("gone")
    environment.may_continue.set()
    assert await waiting == "The episode has ended. The environment failed: idle for long"
    logged = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert logged == ["rollout masked (session_expired) at train 0 (day-0): idle for long"]


async def test_a_call_is_pending_from_the_request_to_the_response() -> None:
    made, environment = await episode(State.PLAYING)
    environment.may_continue.clear()
    waiting = [asyncio.create_task(call(made, f"tool{n}")) for n in range(2)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    before = made.last_response
    assert made.pending == 2
    environment.may_continue.set()
    await asyncio.gather(*waiting)
    assert made.pending == 0
    assert made.last_response > before
