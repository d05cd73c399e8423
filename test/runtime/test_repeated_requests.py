"""Gym's own client repeats a request whose connection broke: nothing runs twice, and nothing is lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from nemo_gym import server_utils

from dropping import Dropping
from faulty_env import SWITCHBOARD, FaultyGrid
from faulty_tasks import expected_reward
from gymclient import SCHEDULE, response
from scripted_env import ScriptedEnv
from scripted_env import app as scripted_app
from scripted_env import row as scripted_row
from serving import Served, row, serve, wait_until

ARGUMENTS = {"schedule": SCHEDULE}


class GymsClient:
    """A rollout with the client that all of Gym's servers use."""

    def __init__(self, url: str) -> None:
        self.url, self.cookies = url, {}

    async def post(self, path: str, body: Any) -> str:
        answer = await server_utils.request("POST", self.url + path, json=body, cookies=self.cookies)
        self.cookies = {name: morsel.value for name, morsel in answer.cookies.items()}
        assert answer.ok, await answer.text()
        return await answer.text()


@pytest.fixture(autouse=True)
async def _gyms_client() -> AsyncIterator[None]:
    client = server_utils.set_global_aiohttp_client(server_utils.GlobalAIOHTTPAsyncClientConfig())
    yield
    server_utils._GLOBAL_AIOHTTP_CLIENT = None  # Gym's public function for this starts an event loop
    await client.close()


async def test_a_lost_response_arrives_with_the_repeated_request(
    faulty: Served, bridges: Callable[..., Served]
) -> None:
    async with Dropping(bridges(faulty.url).url).running() as network:
        gym, task, resets = GymsClient(network.url), row(), SWITCHBOARD.resets
        await gym.post("/seed_session", task)
        network.drop_responses = 1
        assert await gym.post("/submit_schedule", ARGUMENTS) == "accepted"
        network.drop_responses = 1
        body = task | {"response": response([])}
        assert f'"reward":{expected_reward(task, ARGUMENTS)}' in await gym.post("/verify", body)
        assert (network.dropped, SWITCHBOARD.resets - resets) == (2, 1)


async def test_a_call_whose_response_was_lost_runs_once(bridges: Callable[..., Served]) -> None:
    ScriptedEnv.calls.clear()
    with serve(scripted_app()) as scripted:
        async with Dropping(bridges(scripted.url).url).running() as network:
            gym = GymsClient(network.url)
            await gym.post("/seed_session", scripted_row("three-turns"))
            for answer in ("Two.", "Be terse.\n\nThree."):
                network.drop_responses = 1
                assert await gym.post("/end_turn", {"response": "the same"}) == answer
        assert network.dropped == 2
        assert ScriptedEnv.calls == ["end_turn", "end_turn"]


async def test_a_repeated_request_joins_the_running_call(
    faulty: Served, bridges: Callable[..., Served], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[Any] = []
    step = FaultyGrid.step

    def counted(self: FaultyGrid, action: Any, *args: Any, **more: Any) -> Any:
        calls.append(getattr(action, "tool_name", None))
        return step(self, action, *args, **more)

    monkeypatch.setattr(FaultyGrid, "step", counted)
    async with Dropping(bridges(faulty.url).url).running() as network:
        gym = GymsClient(network.url)
        await gym.post("/seed_session", row())
        call = asyncio.create_task(gym.post("/wait", {"seconds": 2}))
        await asyncio.to_thread(wait_until, lambda: "wait" in calls)
        network.abort()
        assert await call == "waited"
        assert calls.count("wait") == 1
