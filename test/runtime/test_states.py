"""The state machine of an episode: every state, every transition."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

from openenv_bridge.episode import NEXT, Episode, State
from openenv_bridge.mask import Dropped, Expired, Failure, ShutDown, Unavailable, Unscored, WrongTools
from openenv_bridge.rewards import Verdict
from openenv_bridge.task import Task

ROW = Task("train", 0, "day-0", [])
ROW_WITHOUT_TOOLS = Task("train", 0, "day-0", None)


class FakePlay:
    """A conversation whose moves wait to be let on, and then do as they are told."""

    def __init__(self) -> None:
        self.done = False
        self.left = 0
        self.called: list[str] = []
        self.may_go_on = asyncio.Event()
        self.raises: Failure | None = None
        self.wrong_tools = False

    async def _move(self) -> None:
        await self.may_go_on.wait()
        if self.raises:
            raise self.raises

    async def open(self) -> None:
        await self._move()

    async def call(self, tool: str, arguments: bytes) -> str:
        self.called.append(tool)
        await self._move()
        return f"{tool} answered"

    async def finish(self, reply: str) -> None:
        await self._move()
        self.done = True

    def verdict(self) -> Verdict:
        if self.raises:
            raise self.raises
        return Verdict(0.5)

    def check_tools(self, row_tools: list[dict[str, Any]]) -> None:
        if self.wrong_tools:
            raise WrongTools("other tools")

    def leave(self) -> None:
        self.left += 1


async def episode(state: State, task: Task = ROW) -> tuple[Episode, FakePlay]:
    """An episode in ``state``, come by in the usual way."""
    play = FakePlay()
    made = Episode(task, play)  # pyright: ignore[reportArgumentType]
    await asyncio.sleep(0)
    if state is State.SEEDING:
        return made, play
    play.may_go_on.set()
    if state is State.MASKED:
        play.raises = Unavailable("the reset failed")
    if state is State.ENDED:
        play.done = True
    await settle(made)
    play.raises = None
    if state is State.CLOSED:
        made.close()
    assert made.state is state
    return made, play


async def settle(made: Episode) -> None:
    while made.busy:
        await asyncio.sleep(0)


async def call(made: Episode, tool: str = "tool") -> str:
    return await made.call(tool, b"{}", once=True)


@pytest.mark.parametrize("state", State)
def test_every_state_has_its_transitions(state: State) -> None:
    assert state not in NEXT[state]
    assert State.CLOSED in NEXT[state] or state is State.CLOSED


SEEDS = [
    ({}, State.PLAYING),
    ({"done": True}, State.ENDED),
    ({"raises": Unavailable("the reset failed")}, State.MASKED),
    ({"done": True, "raises": Unscored("no reward")}, State.MASKED),
]


@pytest.mark.parametrize(("told", "state"), SEEDS)
async def test_a_seed_leads_to(told: dict[str, Any], state: State) -> None:
    made, play = await episode(State.SEEDING)
    vars(play).update(told)
    play.may_go_on.set()
    await settle(made)
    assert made.state is state
    assert (made.verdict is not None) == (state is not State.PLAYING)
    assert bool(play.left) == (state is not State.PLAYING)


CALLS = [
    ({}, State.PLAYING, "tool answered"),
    ({"done": True}, State.ENDED, "tool answered"),
    ({"raises": Dropped("gone")}, State.MASKED, "The episode has ended. The environment failed: gone"),
]


@pytest.mark.parametrize(("told", "state", "read"), CALLS)
async def test_a_call_leads_to(told: dict[str, Any], state: State, read: str) -> None:
    made, play = await episode(State.PLAYING)
    vars(play).update(told)
    assert await call(made) == read
    assert made.state is state


FINISHES = [
    (State.PLAYING, {}, State.ENDED, 0.5),
    (State.PLAYING, {"raises": Dropped("gone")}, State.MASKED, 0.0),
    (State.ENDED, {}, State.ENDED, 0.5),
    (State.MASKED, {}, State.MASKED, 0.0),
    (State.CLOSED, {}, State.CLOSED, 0.0),
]


@pytest.mark.parametrize(("state", "told", "then", "reward"), FINISHES)
async def test_a_verify_leads_to(state: State, told: dict[str, Any], then: State, reward: float) -> None:
    made, play = await episode(state)
    vars(play).update(told)
    verdict = await made.finish("bye", [])
    assert (made.state, verdict.reward, verdict.mask is None) == (then, reward, then is State.ENDED)
    assert await made.finish("other", []) == verdict


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("failure", [Expired("idle"), ShutDown("stopped")])
async def test_an_end_from_outside_masks_only_what_is_open(state: State, failure: Failure) -> None:
    made, play = await episode(state)
    before, left = made.verdict, play.left
    made.mask(failure)
    if state in (State.SEEDING, State.PLAYING):
        assert made.state is State.MASKED
        assert made.verdict == Verdict(mask=failure.mask())
        assert play.left == left + 1
    else:
        assert (made.state, made.verdict, play.left) == (state, before, left)
    await settle(made)


@pytest.mark.parametrize("state", State)
async def test_a_close_keeps_a_verdict_and_else_masks(state: State) -> None:
    made, play = await episode(state)
    before = made.verdict
    made.close()
    assert made.state is State.CLOSED
    assert made.verdict is not None
    assert made.verdict == before or (before is None and made.verdict.mask)
    assert play.left
    await settle(made)


@pytest.mark.parametrize("state", [State.ENDED, State.MASKED, State.CLOSED])
async def test_after_the_end_nothing_is_called(state: State) -> None:
    made, play = await episode(state)
    assert (await call(made)).startswith("The episode has ended.")
    assert play.called == []


@pytest.mark.parametrize("state", [State.PLAYING, State.ENDED])
async def test_tools_first_known_at_verify_are_compared_then(state: State) -> None:
    made, play = await episode(state, ROW_WITHOUT_TOOLS)
    play.wrong_tools = True
    verdict = await made.finish("bye", [])
    assert made.state is State.MASKED
    assert verdict.reward == 0
    assert verdict.mask is not None
    assert verdict.mask.kind == "openenv:wrong_tools"


async def test_calls_wait_for_the_seed_and_take_turns_in_order() -> None:
    made, play = await episode(State.SEEDING)
    calls = [asyncio.create_task(call(made, f"tool{n}")) for n in range(3)]
    verify = asyncio.create_task(made.finish("bye", []))
    await asyncio.sleep(0.01)
    assert play.called == []
    play.may_go_on.set()
    assert await asyncio.gather(*calls) == ["tool0 answered", "tool1 answered", "tool2 answered"]
    assert (await verify).reward == 0.5
    assert play.called == ["tool0", "tool1", "tool2"]


async def test_a_call_that_waited_for_a_seed_which_failed_is_answered_with_why() -> None:
    made, play = await episode(State.SEEDING)
    waiting = asyncio.create_task(call(made))
    await asyncio.sleep(0)
    play.raises = Unavailable("the reset failed")
    play.may_go_on.set()
    assert await waiting == "The episode has ended. The environment failed: the reset failed"


async def test_the_first_reason_stays_and_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    made, play = await episode(State.PLAYING)
    play.may_go_on.clear()
    waiting = asyncio.create_task(call(made))
    await asyncio.sleep(0)
    made.mask(Expired("idle\nfor long"))
    play.raises = Dropped("gone")
    play.may_go_on.set()
    assert await waiting == "The episode has ended. The environment failed: idle for long"
    logged = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert logged == ["rollout masked (session_expired) at train 0 (day-0): idle for long"]


async def test_an_episode_is_busy_from_the_question_to_the_answer() -> None:
    made, play = await episode(State.PLAYING)
    play.may_go_on.clear()
    waiting = [asyncio.create_task(call(made, f"tool{n}")) for n in range(2)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    asked = made.last_answer
    assert made.busy == 2
    play.may_go_on.set()
    await asyncio.gather(*waiting)
    assert made.busy == 0
    assert made.last_answer > asked
