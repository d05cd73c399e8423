"""A model that calls Gym's own routes as tools keeps its session, its task and its verdict.

simple_agent posts a tool call with the cookie of its session, and continues with the cookie of the response.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from fake_env import Fake, name_of, observation, row
from gymclient import Episode, response


def worth(request: Any, session: Any) -> Any:
    """Task 7 has the reward 1, and all others 0."""
    if name_of(request) == "end_turn":
        return observation({"tool_name": "end_turn"}, done=True, reward=float(session.index == 7))
    return None


def typed_seed(index: int, session: str = "mine") -> dict[str, Any]:
    return {
        "resources_session_id": session,
        "episode_id": {"rollout_id": "x"},
        "task_id": {"taskset": "t", "task_id": "0"},
        "task_data": {"split": "train", "index": index},
    }


@pytest.fixture
async def fake(fakes: Any) -> Fake:
    return await fakes(worth)


SEEDS = {"typed": typed_seed(7), "plain": row(7)}


@pytest.mark.parametrize("seed", SEEDS.values(), ids=SEEDS)
async def test_a_session_keeps_its_task_while_it_plays(fake: Any, play: Any, verdict: Any, seed: Any) -> None:
    episode = await play(fake, row(3))
    answer = await episode.tool("seed_session", seed)
    assert answer.status == 409
    assert "No episode was started" in answer.text
    assert (await episode.tool("act", {})).text == "ok 1"
    found = await verdict(episode)
    assert (found["index"], found["reward"], found["mask_sample"]) == (3, 0, False)


@pytest.mark.parametrize("seed", SEEDS.values(), ids=SEEDS)
async def test_a_verdict_is_kept_until_verify_returns_it(fake: Any, play: Any, verdict: Any, seed: Any) -> None:
    episode = await play(fake, row(3), idle_timeout=0.2)
    while not (await episode.tool("act", {})).text.startswith("The episode has ended."):
        await asyncio.sleep(0.5)
    assert (await episode.tool("seed_session", seed)).status == 409
    found = await verdict(episode)
    assert (found["reward"], found["failure_kind"]) == (0, "session_expired")


@pytest.mark.parametrize("seed", [typed_seed(7), row(7), row(3)], ids=["typed", "plain", "the same task again"])
async def test_a_model_that_verifies_and_seeds_again_keeps_its_first_verdict(
    fake: Any, play: Any, verdict: Any, seed: Any
) -> None:
    episode = await play(fake, row(3))
    await episode.tool("verify", {**row(3), "response": response([])})
    await episode.tool("seed_session", seed)
    await episode.tool("act", {})
    found = await verdict(episode)
    assert (found["index"], found["reward"], found["mask_sample"]) == (3, 0, False)


async def test_a_verify_without_a_task_does_not_end_the_episode(fake: Any, play: Any, verdict: Any) -> None:
    episode = await play(fake, row(7))
    answer = await episode.tool("verify", {"responses_create_params": {"tools": []}, "response": response([])})
    assert answer.status == 422
    assert (await episode.tool("act", {})).text == "ok 1"
    assert (await verdict(episode))["reward"] == 1


async def test_a_verify_of_another_task_is_masked(fake: Any, play: Any, verdict: Any) -> None:
    episode = await play(fake, row(7))
    other = Episode(episode.client, row(3), cookies=episode.cookies)
    found = await verdict(other)
    assert (found["reward"], found["failure_kind"]) == (0, "openenv:wrong_task")
    assert (await verdict(episode))["reward"] == 1


async def test_parallel_calls_on_one_cookie_run_once_each(fakes: Any, play: Any, verdict: Any) -> None:
    episode = await play(await fakes())
    posts = [episode.client.post("/act", b'{"a": %d}' % n, dict(episode.cookies)) for n in (1, 2, 3) for _ in range(2)]
    answers = await asyncio.gather(*posts)
    assert len({answer.text for answer in answers}) == 3
    assert (await verdict(episode))["reward"] == 3 / 8


async def test_a_first_call_whose_response_is_lost_runs_once(fakes: Any, play: Any, verdict: Any) -> None:
    episode = await play(await fakes())
    posts = [await episode.client.post("/act", b'{"a": 5}', dict(episode.cookies)) for _ in range(3)]
    assert {answer.text for answer in posts} == {"ok 1"}
    assert (await verdict(episode))["reward"] == 1 / 8
