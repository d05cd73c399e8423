"""An environment with one action, over Gym's routes and on the real openenv package."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import step_env
from gymclient import Episode
from openenv_bridge.action_environment import InvalidAction, build_action
from serving import Clients, Served, serve
from step_env import CounterEnv, row


@pytest.fixture(scope="module")
def counter() -> Iterator[Served]:
    with serve(step_env.app) as served:
        yield served


@pytest.fixture(autouse=True)
def _reset_records() -> None:
    CounterEnv.actions.clear()
    CounterEnv.resets.clear()


@pytest.fixture
async def play(counter: Served, bridges: Callable[..., Served], clients: Clients) -> Any:
    async def start(task: dict[str, Any] | None = None, **config: Any) -> Episode:
        settings = {"interface": "action", "reward_rule": "sum", **config}
        episode = Episode(await clients(bridges(counter.url, **settings)), task or row())
        assert (await episode.seed()).ok
        return episode

    return start


async def read(episode: Episode, name: str = "step", **arguments: Any) -> str:
    answer = await episode.tool(name, arguments)
    assert answer.ok, answer
    return answer.text


async def verdict(episode: Episode) -> dict[str, Any]:
    answer = await episode.verify()
    assert answer.ok, answer
    return answer.json()


async def test_the_score_is_the_sum_of_the_steps_without_the_reset(play: Any) -> None:
    episode = await play(row(start=2, goal=5, seed=7))
    assert await read(episode, by=1) == '{"count":3,"goal":5,"picture":"[2000 numbers, not shown]"}'
    found = await verdict(episode)
    assert CounterEnv.resets == [{"seed": 7, "start": 2, "goal": 5}]
    assert (found["reward"], found["mask_sample"], found["reset"]) == (-1.0, False, {"start": 2, "goal": 5, "seed": 7})


async def test_no_step_is_sent_after_done(play: Any) -> None:
    episode = await play(row(goal=2))
    assert (await read(episode, by=2)).endswith("}\nThe episode has ended.")
    assert await read(episode, by=1) == "The episode has ended."
    assert (await verdict(episode))["reward"] == 1.0
    assert len(CounterEnv.actions) == 1


@pytest.mark.parametrize(("rule", "reward"), [("sum", 0.0), ("last", 1.0), ("max", 1.0), ("final", 1.0)])
async def test_each_reward_rule_computes_its_score(play: Any, rule: str, reward: float) -> None:
    episode = await play(row(goal=3), reward_rule=rule)  # gives -1, 0 and 1
    for _ in range(3):
        await read(episode, by=1)
    assert (await verdict(episode))["reward"] == reward


@pytest.mark.parametrize(("rule", "reward"), [("sum", -5.0), ("last", 0.0), ("max", 0.0), ("final", -5.0)])
async def test_a_step_without_a_reward_counts_as_0_except_with_final(play: Any, rule: str, reward: float) -> None:
    episode = await play(row(goal=7), reward_rule=rule)
    await read(episode, by=1)  # gives -5
    await read(episode, by=1, silent=True)
    assert (await verdict(episode))["reward"] == reward


async def test_an_episode_without_a_step_scores_0_and_is_unscored_with_final(play: Any) -> None:
    assert (await verdict(await play()))["reward"] == 0.0
    found = await verdict(await play(reward_rule="final"))  # the reset has reward 100, which never counts
    assert (found["reward"], found["failure_kind"]) == (0.0, "openenv:unscored")


async def test_the_model_reads_errors_and_continues(play: Any) -> None:
    episode = await play()
    assert "by: Input should be less than or equal to 5" in await read(episode, by=6)
    assert "five is too much" in await read(episode, by=5)
    assert "Extra inputs are not permitted" in await read(episode, by=1, to=2)
    assert await read(episode, "leap", by=1) == "There is no tool 'leap'. The only tool is 'step'."
    assert (await episode.tool("step", [1])).text.startswith("The arguments must be a JSON object")
    assert await read(episode, by=3) != ""
    assert (await verdict(episode))["reward"] == 1.0


async def test_fixed_fields_override_the_models_fields(play: Any) -> None:
    episode = await play(row(goal=4), fixed_fields={"factor": 4})
    await read(episode, by=1, factor=1, metadata={"note": "mine"})
    assert CounterEnv.actions == [{"metadata": {}, "by": 1, "factor": 4, "silent": False}]
    assert (await verdict(episode))["reward"] == 1.0


async def test_the_step_tool_can_be_renamed(play: Any) -> None:
    episode = await play(tool_names={"add": "step"})
    assert await read(episode, "step", by=1) != ""  # the environment's own name works too
    assert await read(episode, "add", by=2) != ""
    assert await read(episode, "leap") == "The episode has ended."


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("done", "the reset failed: it ended the episode"),
        ("raises", "the reset failed: there is no data"),
    ],
)
async def test_a_reset_that_starts_no_episode_masks(play: Any, how: str, reason: str) -> None:
    found = await verdict(await play(row(how=how)))
    assert (found["reward"], found["failure_kind"], found["failure_reason"]) == (0.0, "provider_unavailable", reason)


def test_an_action_is_sent_unchanged() -> None:
    assert build_action(b'{"by": 1.0}', {}) == b'{"by": 1.0}'
    assert build_action(b'{"n":12345678901234567890123}', {"a": "b"}) == b'{"n": 12345678901234567890123, "a": "b"}'
    for arguments in (b"", b"null", b"[]", b"1", b"{"):
        with pytest.raises(InvalidAction):
            build_action(arguments, {})
