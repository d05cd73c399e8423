"""Unexpected frames, and responses to another request: they always mask and never become a reward."""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any

import pytest

from fake_env import Fake, Session, action_row, error, name_of, observation
from serving import wait_until

FRAMES = {
    "a duplicate": observation({"tool_name": "act", "result": "ok 1", "error": None}),
    "an end with a reward": observation({}, done=True, reward=1.0),
    "an observation": observation({"seen": 1}, reward=0.5),
    "an error": error("EXECUTION_ERROR"),
    "a notice": error("CAPACITY_REACHED", max_sessions=1),
    "another type": json.dumps({"type": "state", "data": {}}),
    "garbage": "<html>",
}


def masked(verdict: dict[str, Any]) -> None:
    assert (verdict["reward"], verdict["mask_sample"]) == (0, True)
    assert verdict["failure_kind"] == "openenv:episode_failed"


@pytest.mark.parametrize("unexpected", FRAMES.values(), ids=FRAMES)
async def test_a_frame_between_two_calls_masks_at_once(fakes: Any, play: Any, verdict: Any, unexpected: str) -> None:
    sockets: list[Any] = []

    def script(request: Any, session: Session) -> Any:
        sockets.append(session.socket)

    fake = await fakes(script)
    episode = await play(fake)
    assert (await episode.tool("act", {"a": 1})).text == "ok 1"
    await sockets[-1].send_str(unexpected)
    await asyncio.to_thread(wait_until, lambda: fake.open == 0)
    assert "an unexpected frame" in (await episode.tool("act", {"a": 2})).text
    found = await verdict(episode)
    masked(found)
    assert "an unexpected frame" in found["failure_reason"]
    assert fake.count("act") == 1


@pytest.mark.parametrize(
    "unexpected", [FRAMES["an end with a reward"], FRAMES["an observation"], FRAMES["a duplicate"]]
)
@pytest.mark.parametrize("late", [0.0, 0.02])
async def test_a_frame_right_after_the_connection_opens_masks(
    fakes: Any, play: Any, verdict: Any, unexpected: str, late: float
) -> None:
    async def on_open(socket: Any) -> None:
        await asyncio.sleep(late)
        await socket.send_str(unexpected)

    fake = await fakes()
    fake.on_open = on_open
    episode = await play(fake)
    await episode.tool("act", {"a": 1})
    found = await verdict(episode)
    assert (found["reward"], found["mask_sample"]) == (0, True)


async def test_a_notice_before_the_reset_queues_the_session(fakes: Any, play: Any, verdict: Any) -> None:
    fake = await fakes(max_sessions=1)
    first = await play(fake)
    assert (await first.tool("act", {})).text == "ok 1"  # it has the only session
    second = await play(fake)
    while fake.handshakes < 2:
        await asyncio.sleep(0.01)
    assert (await verdict(first))["reward"] == 1 / 8
    assert (await second.tool("act", {})).text == "ok 1"
    assert (await verdict(second))["reward"] == 1 / 8


async def test_a_notice_in_response_to_a_call_masks(fakes: Any, play: Any, verdict: Any) -> None:
    fake = await fakes(lambda request, _: FRAMES["a notice"] if name_of(request) == "act" else None)
    episode = await play(fake)
    await episode.tool("act", {})
    masked(await verdict(episode))


@pytest.mark.parametrize("late", [0.0, 0.2])
async def test_an_extra_response_at_the_end_masks(fakes: Any, play: Any, verdict: Any, late: float) -> None:
    """The unexpected frame comes first, so the environment's own response is the extra one."""

    async def end(session: Session) -> list[str]:
        await session.socket.send_str(FRAMES["an end with a reward"])
        await asyncio.sleep(late)
        return [observation({"tool_name": "end_turn"}, done=True, reward=0.0)]

    episode = await play(await fakes(lambda request, session: end(session) if name_of(request) == "end_turn" else None))
    await episode.tool("act", {})
    masked(await verdict(episode))


@pytest.mark.parametrize("tool", ["act", "end_turn"])
async def test_a_response_to_another_tools_call_masks(fakes: Any, play: Any, verdict: Any, tool: str) -> None:
    other = observation({"tool_name": "other", "result": "x", "error": None}, done=True, reward=1.0)
    episode = await play(await fakes(lambda request, _: other if name_of(request) == tool else None))
    await episode.tool("act", {})
    found = await verdict(episode)
    masked(found)
    assert f"response to a call of '{tool}' is for a call of 'other'" in found["failure_reason"]


class Restless:
    """Answers correctly, and sends unexpected frames at random moments."""

    def __init__(self, luck: random.Random, fake: Fake) -> None:
        self.luck, self.fake = luck, fake
        self.last = "<html>"
        self.sent: list[str] = []

    async def __call__(self, request: Any, session: Session) -> list[Any]:
        frames = [self.frame() for _ in range(2) if self.luck.random() < 0.12]
        after = [self.frame() for _ in range(2) if self.luck.random() < 0.12]
        if frames:
            for frame in frames:
                await session.socket.send_str(frame)
            await asyncio.sleep(self.luck.choice([0, 0.002, 0.02]))
        self.last = self.fake.usual(request, session)
        await session.socket.send_str(self.last)
        if after and self.luck.random() < 0.5:
            await asyncio.sleep(0.002)
        return after

    def frame(self) -> str:
        kind = self.luck.choice([*FRAMES, "the last answer", "another session's end"])
        self.sent.append(kind)
        if kind == "another session's end":
            return observation({"tool_name": "end_turn"}, done=True, reward=0.99)
        return self.last if kind == "the last answer" else FRAMES[kind]


@pytest.mark.parametrize("seed", range(4))
async def test_unexpected_frames_never_change_an_unmasked_reward(
    fakes: Any, play: Any, verdict: Any, seed: int
) -> None:
    """Late, duplicate, unexpected and foreign frames at random, with fixed random seeds."""
    scored = affected = 0
    with_tools, with_actions = await fakes(), await fakes()
    for n in range(40):
        luck = random.Random(f"{seed}-{n}")
        tools = luck.random() < 0.7
        fake = with_tools if tools else with_actions
        fake.script = restless = Restless(luck, fake)
        if tools:
            episode = await play(fake)
        else:
            episode = await play(fake, action_row(), interface="action", reward_rule="sum")
        calls = luck.randrange(4)
        for k in range(calls):
            await episode.tool("act" if tools else "step", {"a": k})
            await asyncio.sleep(luck.choice([0, 0, 0.005]))
        found = await verdict(episode)
        clean = calls / 8 if tools else sum(range(1, calls + 1)) / 8
        affected += bool(restless.sent)
        if not found["mask_sample"]:
            scored += 1
            assert found["reward"] == clean, (seed, n, restless.sent)
        else:
            assert restless.sent, (seed, n, found["failure_reason"])
    assert scored
    assert affected
