"""Gym's typed sessions, which environment servers seed and close, and whose requests may be repeated."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from nemo_gym.base_resources_server import ResourcesSeedSessionRequest
from nemo_gym.testing.session_conformance import check_resources_session_contract

from faulty_env import SWITCHBOARD
from faulty_tasks import expected_reward
from gymclient import SCHEDULE, Episode, GymClient
from serving import Clients, Served, bridge_app, nothing_open, row, wait_until

TOOL, ARGUMENTS = "submit_schedule", {"schedule": SCHEDULE}


def task_data(task: dict[str, Any]) -> dict[str, Any]:
    """Return what single_agent_turn sends of a row: everything except the agent's part."""
    return {key: value for key, value in task.items() if key != "responses_create_params"}


class Typed(Episode):
    """A rollout as ``single_agent_turn`` plays it."""

    def __init__(self, client: GymClient, task: dict[str, Any]) -> None:
        super().__init__(client, task)
        self.session_id = f"resources-session-{uuid4().hex}"
        self.episode_id: dict[str, Any] = {"rollout_id": "r-1", "attempt": 0}

    async def seed(self) -> Any:
        body = {
            "resources_session_id": self.session_id,
            "episode_id": self.episode_id,
            "task_id": {"taskset": "t", "task_id": "0"},
            "task_data": task_data(self.row),
        }
        return await self.post("/seed_session", body)

    async def close(self) -> Any:
        return await self.post(
            "/close_session", {"resources_session_id": self.session_id, "episode_id": self.episode_id}
        )

    async def post(self, path: str, body: Any) -> Any:
        return await self.client.post(path, json.dumps(body).encode(), self.cookies)


@pytest.fixture
async def typed(faulty: Served, bridges: Callable[..., Served], clients: Clients) -> Any:
    client = await clients(bridges(faulty.url))
    return lambda task=None: Typed(client, task or row())


@pytest.mark.parametrize("whole_row", [True, False])
def test_the_server_passes_gyms_conformance_check(faulty: Served, whole_row: bool) -> None:
    seed = ResourcesSeedSessionRequest.model_validate(
        {
            "resources_session_id": str(uuid4()),
            "episode_id": {"rollout_id": "conformance-0"},
            "task_id": {"taskset": "conformance", "task_id": "0"},
            "task_data": row() if whole_row else task_data(row()),
        }
    )
    check_resources_session_contract(bridge_app(faulty.url), seed, keeps_state=True)
    wait_until(nothing_open)


async def test_a_rollout_is_played_verified_and_closed(typed: Any) -> None:
    made = typed()
    assert (await made.seed()).json() == {
        "resources_session_id": made.session_id,
        "resources_tools": None,
        "sandbox_access": None,
    }
    assert (await made.tool(TOOL, ARGUMENTS)).text == "accepted"
    verdict = (await made.verify()).json()
    assert verdict["reward"] == expected_reward(made.row, ARGUMENTS)
    assert (await made.close()).json() == {"resources_session_id": made.session_id}
    assert (await made.close()).ok
    assert (await made.verify()).json() == verdict


async def test_a_repeated_seed_finds_its_episode_even_after_the_verify(typed: Any) -> None:
    made = typed()
    await made.seed()
    await made.tool(TOOL, ARGUMENTS)
    resets = SWITCHBOARD.resets
    assert (await made.seed()).ok
    verdict = (await made.verify()).json()
    assert (await made.seed()).ok
    assert (await made.verify()).json() == verdict
    assert SWITCHBOARD.resets == resets


async def test_a_session_of_another_episode_is_refused(typed: Any) -> None:
    made = typed()
    await made.seed()
    made.episode_id = {"rollout_id": "r-2", "attempt": 0}
    assert (await made.seed()).status == 409


async def test_a_seed_after_the_close_is_refused_and_opens_no_session(typed: Any) -> None:
    made, never_seeded = typed(), typed()
    await made.seed()
    await made.tool(TOOL, ARGUMENTS)
    assert (await made.close()).ok
    assert (await never_seeded.close()).ok
    resets = SWITCHBOARD.resets
    for late in (made, never_seeded):
        assert (await late.seed()).status == 409
    assert SWITCHBOARD.resets == resets


async def test_a_close_frees_the_session_and_a_later_verify_is_masked(typed: Any) -> None:
    made = typed()
    await made.seed()
    await made.tool(TOOL, ARGUMENTS)
    await made.close()
    wait_until(nothing_open)
    assert (await made.tool(TOOL, ARGUMENTS)).text.startswith("The episode has ended.")
    verdict = (await made.verify()).json()
    assert (verdict["mask_sample"], verdict["failure_kind"]) == (True, "cancelled")


async def test_tools_that_the_seed_left_out_are_compared_at_verify(typed: Any) -> None:
    made = typed()
    await made.seed()
    await made.tool(TOOL, ARGUMENTS)
    made.row["responses_create_params"]["tools"].pop()
    verdict = (await made.verify()).json()
    assert (verdict["mask_sample"], verdict["failure_kind"], verdict["reward"]) == (True, "openenv:wrong_tools", 0)


async def test_a_seed_that_names_no_task_is_refused(typed: Any) -> None:
    assert (await typed({"responses_create_params": {}}).seed()).status == 422
