"""Gym's routes over real HTTP: sessions, repeated requests, limits, and models that call the routes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import pytest

from faulty_env import SWITCHBOARD
from faulty_tasks import FAULT_NAMES, expected_reward
from gymclient import SCHEDULE, Control, Episode, response
from serving import Clients, Served, nothing_open, row, wait_until

TOOL, ARGUMENTS = "submit_schedule", {"schedule": SCHEDULE}


@pytest.fixture
async def episode(faulty: Served, bridges: Callable[..., Served], clients: Clients) -> Any:
    async def start(task: dict[str, Any] | None = None, **config: Any) -> Episode:
        made = Episode(await clients(bridges(faulty.url, **config)), task or row())
        assert (await made.seed()).ok
        return made

    return start


async def verdict(episode: Episode) -> dict[str, Any]:
    answer = await episode.verify()
    assert answer.ok, answer
    return answer.json()


def fault(name: str) -> dict[str, Any]:
    return row("faults", FAULT_NAMES.index(name))


async def test_a_rollout_returns_its_reward_and_all_keys_of_its_row(episode: Any) -> None:
    made = await episode()
    assert (await made.tool(TOOL, ARGUMENTS)).text == "accepted"
    found = await verdict(made)
    assert found["reward"] == expected_reward(made.row, ARGUMENTS)
    assert found["mask_sample"] is False
    assert found.items() >= made.row.items()
    wait_until(nothing_open)


async def test_tool_responses_are_plain_utf8_text_with_the_cookie(episode: Any) -> None:
    made = await episode()
    async with made.client._session.post(f"{made.client.base_url}/{TOOL}", json=ARGUMENTS, cookies=made.cookies) as r:
        assert r.headers["Content-Type"] == "text/plain; charset=utf-8"
        assert made.cookies.keys() == r.cookies.keys()


async def test_a_seed_is_answered_before_the_reset_finishes(faulty: Served, episode: Any) -> None:
    made = await episode(fault("reset_hangs"))  # the reset never finishes
    assert (await made.seed()).ok
    await Control(faulty.url).release()
    assert (await made.tool(TOOL, ARGUMENTS)).ok


async def test_a_repeated_verify_returns_the_same_verdict(episode: Any, caplog: pytest.LogCaptureFixture) -> None:
    made = await episode(fault("end_failed"))
    first = await verdict(made)
    assert first["failure_reason"] == "the episode ended with an error: the grader crashed"
    assert await verdict(made) == first
    assert sum("rollout masked" in record.getMessage() for record in caplog.records) == 1


async def test_a_repeated_seed_finds_its_episode(episode: Any) -> None:
    made = await episode()
    await made.tool(TOOL, ARGUMENTS)
    resets = SWITCHBOARD.resets
    assert (await made.seed()).ok
    assert SWITCHBOARD.resets == resets
    assert (await verdict(made))["reward"] == expected_reward(made.row, ARGUMENTS)


async def test_a_session_can_play_another_row_after_its_verify(episode: Any) -> None:
    made = await episode()
    await verdict(made)
    made.row = row("train", 7)
    assert (await made.seed()).ok
    await made.tool(TOOL, ARGUMENTS)
    assert (await verdict(made))["reward"] == expected_reward(made.row, ARGUMENTS)


ROUTES = {
    "seed_session": [{}, None, [], {"split": "train", "index": 9}, {"resources_session_id": "x"}],
    "verify": [{}, None, "done", {"response": "done"}],
    "close_session": [{}, None, {"resources_session_id": 1}],
    "aggregate_metrics": [{}, None],
    "": [{}],
}


@pytest.mark.parametrize(("name", "arguments"), [(name, a) for name, bodies in ROUTES.items() for a in bodies])
async def test_a_model_that_calls_a_route_of_gym_does_no_damage(episode: Any, name: str, arguments: Any) -> None:
    made = await episode()
    assert (await made.tool(TOOL, ARGUMENTS)).text == "accepted"
    answer = await made.tool(name, arguments)
    assert answer.status is not None
    assert answer.text
    assert "Traceback" not in answer.text
    assert (await verdict(made))["reward"] == expected_reward(made.row, ARGUMENTS)


async def test_arguments_that_are_not_json_are_rejected(episode: Any) -> None:
    made = await episode()
    answer = await made.client.post(f"/{TOOL}", b'{}},"type":"reset"', made.cookies)
    assert answer.text == "The arguments are not valid JSON."


async def test_an_unknown_session_is_masked_as_lost(episode: Any, caplog: pytest.LogCaptureFixture) -> None:
    made = await episode()
    made.cookies.clear()
    assert (await made.tool(TOOL, ARGUMENTS)).text == "There is no episode in this session."
    found = await verdict(made)
    assert (found["mask_sample"], found["failure_kind"], found["reward"]) == (True, "session_lost", 0)
    assert any("rollout masked (session_lost)" in record.getMessage() for record in caplog.records)


async def test_an_idle_session_is_closed_and_masked(episode: Any) -> None:
    made = await episode(idle_timeout=0.4)
    await made.tool(TOOL, ARGUMENTS)
    await asyncio.to_thread(wait_until, nothing_open)
    assert (await made.tool(TOOL, ARGUMENTS)).text.startswith("The episode has ended.")
    assert (await verdict(made))["failure_kind"] == "session_expired"


async def test_a_session_is_not_idle_during_a_long_call(episode: Any) -> None:
    made = await episode(idle_timeout=0.3)
    assert (await made.tool("wait", {"seconds": 1.0})).text == "waited"
    assert (await verdict(made))["mask_sample"] is False


async def test_an_ended_episode_keeps_its_reward_after_the_idle_timeout(episode: Any) -> None:
    made = await episode(fault("tool_done"), idle_timeout=0.3)
    await made.tool(TOOL, ARGUMENTS)
    await asyncio.sleep(0.8)
    assert (await verdict(made))["reward"] == expected_reward(made.row, ARGUMENTS)


@pytest.mark.parametrize("name", ["tool_hangs", "reset_hangs", "end_hangs"])
async def test_a_timeout_masks_and_closes_the_socket(episode: Any, name: str) -> None:
    made = await episode(fault(name), tool_timeout=0.5, reset_timeout=0.8)
    answer = await made.tool(TOOL, ARGUMENTS)
    assert answer.text == "accepted" or "within" in answer.text
    found = await verdict(made)
    assert found["failure_kind"] == "transport_timeout"
    await asyncio.to_thread(wait_until, lambda: SWITCHBOARD.sockets == 0)


async def test_calls_of_one_session_run_in_order_and_sessions_run_in_parallel(episode: Any) -> None:
    made = await episode()
    other = Episode(made.client, row("train", 1))
    await other.seed()
    slow = asyncio.create_task(made.tool("wait", {"seconds": 3}))
    await asyncio.sleep(0.1)
    queued = asyncio.create_task(made.tool(TOOL, ARGUMENTS))
    assert (await other.tool(TOOL, ARGUMENTS)).text == "accepted"
    assert not slow.done()
    assert not queued.done()
    assert (await slow).text == "waited"
    assert (await queued).text == "accepted"
    assert (await verdict(other))["reward"] == expected_reward(other.row, ARGUMENTS)


async def drop(made: Episode, path: str, body: Any, after_s: float = 0.2) -> None:
    """Post, and break the connection while the call is running."""
    post = made.client._session.post(f"{made.client.base_url}{path}", json=body, cookies=made.cookies)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(after_s), post:
            pass


async def test_a_repeated_call_runs_once(episode: Any) -> None:
    made = await episode()
    arguments, calls = {"seconds": 0.6}, SWITCHBOARD.calls
    await drop(made, "/wait", arguments)
    assert (await made.tool("wait", arguments)).text == "waited"
    assert SWITCHBOARD.calls == calls + 1
    await made.tool("wait", arguments)  # a repetition by the model is a new call
    assert SWITCHBOARD.calls == calls + 2


async def test_a_response_is_kept_for_a_client_that_disconnected(episode: Any) -> None:
    made = await episode()
    calls = SWITCHBOARD.calls
    await drop(made, "/wait", {"seconds": 0.5})
    await asyncio.sleep(0.8)
    assert (await made.tool("wait", {"seconds": 0.5})).text == "waited"
    assert SWITCHBOARD.calls == calls + 1


async def test_a_repeated_verify_ends_the_episode_once(episode: Any) -> None:
    SWITCHBOARD.slow_s = 0.6
    made = await episode(fault("slow_end"))
    await made.tool(TOOL, ARGUMENTS)
    await drop(made, "/verify", made.row | {"response": response([])})
    assert (await verdict(made))["reward"] == expected_reward(made.row, ARGUMENTS)


async def test_a_dropped_call_does_not_stop_the_episode(episode: Any) -> None:
    made = await episode()
    await drop(made, "/wait", {"seconds": 0.5})
    assert (await made.tool(TOOL, ARGUMENTS)).text == "accepted"
    assert (await verdict(made))["reward"] == expected_reward(made.row, ARGUMENTS)


async def test_rollouts_beyond_the_servers_limit_wait_and_are_scored(
    faulty: Served, episode: Any, caplog: pytest.LogCaptureFixture
) -> None:
    await Control(faulty.url).set(capacity=3)
    first = await episode()
    episodes = [first, *(Episode(first.client, row("train", n)) for n in range(1, 12))]
    assert all(seed.ok for seed in await asyncio.gather(*(e.seed() for e in episodes[1:])))

    async def play(e: Episode) -> tuple[float, float]:
        await e.tool(TOOL, ARGUMENTS)
        return (await verdict(e))["reward"], expected_reward(e.row, ARGUMENTS)

    assert all(got == due for got, due in await asyncio.gather(*(play(e) for e in episodes)))
    (warned,) = [r.getMessage() for r in caplog.records if "is full" in r.getMessage()]
    assert "all 3 sessions are in use" in warned


async def test_a_rollout_that_waits_longer_than_the_reset_timeout_is_masked(faulty: Served, episode: Any) -> None:
    await Control(faulty.url).set(capacity=1)
    holder = await episode(reset_timeout=0.8)
    await holder.tool(TOOL, ARGUMENTS)
    made = Episode(holder.client, row("train", 5))
    await made.seed()
    found = await verdict(made)
    assert (found["failure_kind"], found["mask_sample"]) == ("provider_unavailable", True)
    assert "no free session within 0.8 s" in found["failure_reason"]
    assert (await verdict(holder))["mask_sample"] is False


async def test_a_session_that_is_freed_too_late_for_the_reset_is_masked_as_unavailable(
    faulty: Served, episode: Any
) -> None:
    await Control(faulty.url).set(capacity=1)
    holder = await episode(reset_timeout=0.8)
    await holder.tool(TOOL, ARGUMENTS)
    made = Episode(holder.client, fault("reset_hangs"))
    await made.seed()
    await asyncio.sleep(0.5)
    await verdict(holder)
    found = await verdict(made)
    assert found["failure_kind"] == "provider_unavailable"
    assert "no free session within 0.8 s, or freed one too late for the reset" in found["failure_reason"]


async def test_an_unreachable_server_is_masked_without_its_secrets(
    bridges: Callable[..., Served], clients: Clients
) -> None:
    secret = "http://user:hunter2@127.0.0.1:9/?token=hunter2"
    made = Episode(await clients(bridges(secret, headers={"X-Token": "hunter2"}, connect_timeout=0.1)), row())
    assert (await made.seed()).ok
    found = await verdict(made)
    assert found["failure_kind"] == "transport_unreachable"
    assert "ws://127.0.0.1:9/ws" in found["failure_reason"]
    assert "hunter2" not in found["failure_reason"]


async def test_secrets_are_not_logged(episode: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    SWITCHBOARD.refuse = True
    made = await episode(headers={"Authorization": "Bearer hunter2"})
    await verdict(made)
    assert "HTTP 403" in caplog.text
    assert "hunter2" not in caplog.text
