"""Episodes with one turn and with several turns, on the real openenv package."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import scripted_env
from gymclient import Episode
from scripted_env import ScriptedEnv, row
from serving import Clients, Served, serve

NAMES_IN_ROWS = {"roll_dice": "roll.dice"}


@pytest.fixture(scope="module")
def scripted() -> Iterator[Served]:
    with serve(scripted_env.app()) as served:
        yield served


@pytest.fixture(autouse=True)
def _reset_records() -> None:
    ScriptedEnv.replies.clear()
    ScriptedEnv.calls.clear()


@pytest.fixture
async def play(scripted: Served, bridges: Callable[..., Served], clients: Clients) -> Any:
    async def start(task: dict[str, Any], served: Served = scripted, **config: Any) -> Episode:
        episode = Episode(await clients(bridges(served.url, **config)), task)
        assert (await episode.seed()).ok
        return episode

    return start


async def verdict(episode: Episode) -> dict[str, Any]:
    answer = await episode.verify()
    assert answer.ok, answer
    return answer.json()


async def test_verify_ends_the_first_open_turn_with_the_last_message_and_later_ones_with_an_empty_reply(
    play: Any,
) -> None:
    assert (await verdict(await play(row("three-turns"))))["reward"] == 1
    assert ScriptedEnv.replies == ["I have submitted the schedule.", "", ""]


async def test_end_turn_starts_the_next_turn_with_its_prompt_and_a_new_system_prompt(play: Any) -> None:
    tools = row("three-turns")["responses_create_params"]["tools"]
    episode = await play(row("three-turns"))
    assert len(tools) == 3
    assert (await episode.tool("end_turn", {"response": "a"})).text == "Two."
    assert (await episode.tool("end_turn", {"response": "b"})).text == "Be terse.\n\nThree."
    assert (await episode.tool("end_turn", {"response": "c"})).text == "The episode has ended."
    assert (await episode.tool("end_turn", {"response": "d"})).text == "The episode has ended."
    assert (await verdict(episode))["reward"] == 1
    assert ScriptedEnv.replies == ["a", "b", "c"]


async def test_the_tools_of_a_later_turn_are_compared_when_it_starts(play: Any) -> None:
    task = row("three-turns")
    tools = task["responses_create_params"]["tools"]
    task["responses_create_params"]["tools"] = [tool for tool in tools if tool["name"] != "roll.dice"]
    episode = await play(task)
    assert "offers the tool 'roll.dice', which the row lacks" in (await episode.tool("end_turn", {})).text
    found = await verdict(episode)
    assert (found["mask_sample"], found["failure_kind"], found["reward"]) == (True, "openenv:wrong_tools", 0)


async def test_a_renamed_tool_is_called_and_compared_by_the_servers_name(play: Any) -> None:
    task = row("three-turns")
    for tool in task["responses_create_params"]["tools"]:
        tool["name"] = tool["name"].replace(".", "_")
    episode = await play(task, tool_names=NAMES_IN_ROWS)
    assert (await episode.tool("end_turn", {})).text == "Two."
    assert (await episode.tool("roll_dice", {})).text == "4"
    assert (await verdict(episode))["mask_sample"] is False
    assert ScriptedEnv.calls[1] == "roll.dice"


async def test_scores_are_returned_and_are_components_if_they_sum_to_the_reward(play: Any) -> None:
    found = await verdict(await play(row("one-turn")))
    assert found["scores"] == found["reward_components"] == {"style": 0.25, "facts": 0.75}


async def test_a_score_that_the_config_names_is_the_reward(play: Any) -> None:
    found = await verdict(await play(row("one-turn"), reward="facts"))
    assert found["reward"] == 0.75
    assert "reward_components" not in found


async def test_a_missing_score_is_masked(play: Any) -> None:
    found = await verdict(await play(row("one-turn"), reward="grammar"))
    assert (found["mask_sample"], found["failure_kind"]) == (True, "openenv:unscored")


async def test_without_end_turn_the_last_reward_counts(play: Any) -> None:
    episode = await play(row("no-end-turn"))
    await episode.tool("read", {"what": "reward"})
    await episode.tool("read", {"what": "string"})
    assert (await verdict(episode))["reward"] == 0.75
    assert "end_turn" not in ScriptedEnv.calls


async def test_an_episode_without_end_turn_and_reward_is_unscored(play: Any) -> None:
    assert (await verdict(await play(row("no-end-turn"))))["failure_kind"] == "openenv:unscored"


async def test_an_environment_that_is_never_done_is_masked(play: Any) -> None:
    assert "is not done after 1000 turns" in (await verdict(await play(row("endless"))))["failure_reason"]


@pytest.mark.parametrize("name", ["refuses-lists", "reports-no-task"])
async def test_an_episode_is_played_if_task_or_tools_are_unknown(play: Any, name: str) -> None:
    task = row(name)
    task["responses_create_params"]["tools"] = row("one-turn")["responses_create_params"]["tools"]
    task["responses_create_params"]["tools"][1]["parameters"] = {"type": "object"}
    assert (await verdict(await play(task)))["reward"] == 1


@pytest.mark.parametrize(
    ("what", "read"),
    [("image", "a\n[image (image/png), not shown]"), ("string", "plain"), ("json", '{"n":[1,2.0]}')],
)
async def test_results_are_converted_to_text(play: Any, what: str, read: str) -> None:
    assert (await (await play(row("one-turn"))).tool("read", {"what": what})).text == read


async def test_a_response_of_20_mib_is_accepted(play: Any) -> None:
    assert len((await (await play(row("one-turn"))).tool("read", {"what": "big"})).text) == 20 * 2**20


async def test_a_response_larger_than_max_frame_masks(play: Any) -> None:
    episode = await play(row("one-turn"), max_frame=2**20)
    assert "more than max_frame bytes" in (await episode.tool("read", {"what": "big"})).text
    assert (await verdict(episode))["mask_sample"]


async def test_arguments_that_are_too_large_do_not_mask(play: Any) -> None:
    episode = await play(row("one-turn"))
    assert "too large" in (await episode.tool("read", {"what": "x" * (17 * 2**20)})).text
    assert (await verdict(episode))["reward"] == 1


async def test_arguments_arrive_unchanged(play: Any) -> None:
    arguments = {"z": 1.0, "a": 9223372036854775807, "e": "été 🌱", "n": None}
    read = (await (await play(row("one-turn"))).tool("read", arguments)).text
    assert read == '{"z":1.0,"a":9223372036854775807,"e":"été 🌱","n":null}'


@pytest.mark.parametrize("arguments", [None, [], "text", 3, False])
async def test_arguments_that_are_not_an_object_are_rejected_by_the_environment(play: Any, arguments: Any) -> None:
    episode = await play(row("one-turn"))
    assert "arguments: Input should be a valid dictionary" in (await episode.tool("read", arguments)).text
    assert (await verdict(episode))["reward"] == 1


async def test_an_empty_body_is_null(play: Any) -> None:
    episode = await play(row("one-turn"))
    answer = await episode.client.post("/read", b"", episode.cookies)
    assert "arguments: Input should be a valid dictionary" in answer.text


async def test_a_made_up_tool_is_answered_by_the_environment(play: Any) -> None:
    episode = await play(row("one-turn"))
    # Gym has GET routes with some of these names. They do not match a POST.
    for name in ("reboot", "a/b", "étude", "health", "livez", "stats", "docs", "reverify_mode"):
        assert (await episode.tool(name, {})).text == f"there is no tool {name!r}"
    assert (await verdict(episode))["reward"] == 1


async def test_the_servers_pings_are_answered_while_the_model_thinks(play: Any) -> None:
    with serve(scripted_env.app(), ws_ping_interval=0.2, ws_ping_timeout=0.2) as impatient:
        episode = await play(row("one-turn"), impatient)
        assert (await episode.tool("read", {"what": "string"})).text == "plain"
        await asyncio.sleep(1.5)  # the server sends several pings, each with 0.2 s for the answer
        assert (await episode.tool("read", {"what": "string"})).text == "plain"


async def test_a_lost_environment_behind_a_tool_masks_the_episode(play: Any) -> None:
    episode = await play(row("one-turn"))
    reason = "the environment behind read is gone: connection refused"
    assert (
        await episode.tool("read", {"what": "gone"})
    ).text == f"The episode has ended. The environment failed: {reason}"
    found = await verdict(episode)
    assert (found["reward"], found["failure_kind"], found["failure_reason"]) == (0, "transport_peer_drop", reason)
