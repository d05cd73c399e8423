"""Whatever a server sends or a row contains, each request is answered with 200 and the episode is masked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from fake_env import action_row, error, name_of, observation, row
from serving import wait_until

HUGE = "1" + 400 * "0"
DEEP = '{"content":[],"data":' * 2000 + '"x"' + "}" * 2000
INVALID = {
    "a reward beyond the range of a float": observation({}, done=False, reward=7).replace("7", HUGE),
    "a score beyond the range of a float": observation({}, metadata={"scores": {"s": 7}}).replace("7", HUGE),
    "a location that is a number": error("VALIDATION_ERROR", errors=[{"loc": 5, "msg": "x"}]),
    "an integer with 5,000 digits": observation({"result": 7}).replace("7", "7" * 5000),
    "data that is a number": '{"type":"observation","data":5}',
    "an error without data": '{"type":"error","data":null}',
    "a code that is a list": error("x").replace('"x"', "[]"),
}


@pytest.mark.parametrize("frame", INVALID.values(), ids=INVALID)
@pytest.mark.parametrize("request_name", ["reset", "act", "end_turn"])
async def test_an_invalid_response_masks(fakes: Any, play: Any, verdict: Any, frame: str, request_name: str) -> None:
    fake = await fakes(lambda request, _: frame if name_of(request) == request_name else None)
    episode = await play(fake)
    assert (await episode.tool("act", {"a": 1})).status == 200
    found = await verdict(episode)
    assert (found["reward"], found["mask_sample"]) == (0, True)
    assert found["failure_kind"] == (
        "provider_unavailable" if request_name == "reset" else "openenv:episode_failed"
    ) or ("not an OpenEnv message" in found["failure_reason"])
    await asyncio.to_thread(wait_until, lambda: fake.open == 0)


@pytest.mark.parametrize("frame", [*INVALID.values(), observation({"tools": [[], 5, {"name": {}}]})])
async def test_an_invalid_list_of_tools_leaves_no_session_open(fakes: Any, play: Any, verdict: Any, frame: str) -> None:
    fake = await fakes(lambda request, _: frame if name_of(request) == "list_tools" else None)
    await verdict(await play(fake))
    await asyncio.to_thread(wait_until, lambda: fake.open == 0)


async def test_a_result_nested_too_deeply_masks(fakes: Any, play: Any, verdict: Any) -> None:
    deep = observation({"result": 7}).replace("7", DEEP)
    episode = await play(await fakes(lambda request, _: deep if name_of(request) == "act" else None))
    assert "RecursionError" in (await episode.tool("act", {})).text
    assert (await verdict(episode))["failure_kind"] == "openenv:episode_failed"


ODD_ROWS = {
    "a tool's name is an object": row(tools=[{"name": {}, "input_schema": {}}]),
    "a tool is a list": {**row(), "responses_create_params": {"tools": [[]]}},
    "the tools are a number": {**row(), "responses_create_params": {"tools": 5}},
    "a lone surrogate": row(split="\ud800"),
    "a huge index": row(10**30),
    "a deep reset": row(reset=json.loads('{"a":' * 300 + "1" + "}" * 300)),
    "a tool with deep parameters": row(tools=[{"name": "act", "input_schema": json.loads("[" * 900 + "]" * 900)}]),
}


@pytest.mark.parametrize("task", ODD_ROWS.values(), ids=ODD_ROWS)
async def test_an_odd_row_is_played_or_masked_and_leaves_no_session_open(
    fakes: Any, play: Any, verdict: Any, task: dict[str, Any]
) -> None:
    fake = await fakes()
    episode = await play(fake, task)
    assert (await episode.tool("act", {"a": 1})).status == 200
    found = await verdict(episode)
    assert found["mask_sample"] or found["reward"] == 1 / 8
    await asyncio.to_thread(wait_until, lambda: fake.open == 0)


async def test_a_row_that_is_nested_too_deeply_is_rejected(fakes: Any, play: Any, verdict: Any) -> None:
    episode = await play(await fakes())
    deep = '{"reset":' + '{"a":' * 5000 + "1" + "}" * 5001
    for path in ("/seed_session", "/verify"):
        assert (await episode.client.post(path, deep.encode(), {})).status == 422
    assert (await verdict(episode))["reward"] == 0


@pytest.mark.parametrize("rule", ["final", "sum", "last", "max"])
@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", '"0.5"', "[1]", "1e999", HUGE])
async def test_a_reward_that_is_not_finite_masks_with_the_value(
    fakes: Any, play: Any, verdict: Any, rule: str, value: str
) -> None:
    def script(request: Any, _: Any) -> Any:
        if name_of(request) == "reset":
            return observation({"q": 1}, reward=0.75)
        return observation({"x": 1}, reward=7).replace("7", value) if request["type"] == "step" else None

    episode = await play(await fakes(script), action_row(), interface="action", reward_rule=rule)
    await episode.tool("step", {"a": 1})
    found = await verdict(episode)
    assert (found["reward"], found["mask_sample"]) == (0, True)
    assert value.replace("1e999", "Infinity")[:20] in found["failure_reason"]


async def test_a_boolean_is_a_reward(fakes: Any, play: Any, verdict: Any) -> None:
    script: Callable[..., Any] = lambda request, _: (  # noqa: E731
        observation({}, done=True, reward=True) if name_of(request) == "end_turn" else None
    )
    assert (await verdict(await play(await fakes(script))))["reward"] == 1.0


async def test_the_model_reads_an_error_that_does_not_end_the_episode(fakes: Any, play: Any, verdict: Any) -> None:
    failed = observation({"tool_name": "act"}, metadata={"status": "error", "error": "the market\nis closed"})
    episode = await play(await fakes(lambda request, _: failed if name_of(request) == "act" else None))
    assert (await episode.tool("act", {})).text == "the market\nis closed"
    assert (await verdict(episode))["mask_sample"] is False


async def test_a_row_cannot_forge_a_log_line(
    fakes: Any, play: Any, verdict: Any, caplog: pytest.LogCaptureFixture
) -> None:
    forged = "x\n2026 WARNING rollout masked (shutdown)\r\x1b[2K\u2028y"
    refused = await fakes(lambda request, _: error("EXECUTION_ERROR", "no\nsuch task"))
    forgeries: list[dict[str, Any]] = [{"split": forged}, {"task_id": forged}, {"task_id": forged, "reset": {}}]
    for changes in forgeries:
        await verdict(await play(refused, row(**changes)))
    lines = [r.getMessage() for r in caplog.records if "rollout masked" in r.getMessage()]
    assert len(lines) == 3
    assert all(len(line.splitlines()) == 1 and "\x1b" not in line for line in lines)
