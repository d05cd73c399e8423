"""Every fault of bench/server, and random rollouts with faults under load.

The results are a table in docs/resources-server.md.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
from collections.abc import Callable
from typing import Any

import pytest

import documented
from faults import EXTRA, Played, Player
from faulty_tasks import FAULT_NAMES, FAULTS, expected_reward
from gymclient import SCHEDULE, Control, Episode
from openenv_bridge.tool_calls import EPISODE_ENDED
from serving import Clients, Served, nothing_open, row, wait_until

ARGUMENTS = {"schedule": SCHEDULE}
LIMITS = {"tool_timeout": 1.0, "reset_timeout": 1.5}
CAP_S = 8.0

found: dict[str, Played] = {}  # by fault, as far as they were tested


@pytest.mark.parametrize("fault", [*FAULTS, *EXTRA])
async def test_fault(faulty: Served, bridges: Callable[..., Served], clients: Clients, fault: str) -> None:
    bridge = bridges(faulty.url, **({"tool_timeout": 6, "reset_timeout": 6} if fault == "capacity" else LIMITS))
    settings = argparse.Namespace(
        base_url=bridge.url, control_url=faulty.url, by="row", end_tool=None, settle_s=3.0, tool="submit_schedule"
    )
    settings.arguments = ARGUMENTS
    player = Player(settings, await clients(bridge))
    await asyncio.to_thread(wait_until, nothing_open)
    played = await player.play(fault, row("faults", FAULT_NAMES.index(fault) if fault in FAULTS else 0))
    assert played.problems(CAP_S) == []
    found[fault] = played


WHEN = {"reset": "seeding", "tool": "in a call", "crash": "playing", "drop": "in a call", "end": "in /verify"}
WHEN_ALSO = {
    "slow_reset": "seeding",
    "slow_tool": "in a call",
    "slow_end": "in /verify",
    "crash_in_call": "in a call",
    "no_reward": "in /verify",
    "wrong_task": "seeding",
    "capacity": "seeding",
    "refused": "seeding",
    "none": "never",
}


def when(fault: str) -> str:
    return WHEN_ALSO.get(fault) or WHEN[fault.split("_")[0]]


def text_read(played: Played) -> str:
    """Return the text that the model reads, without the note before each reason and without the port of this run."""
    text = played.tool.text if played.tool else "—"
    return re.sub(r"//127\.0\.0\.1:\d+/", "//HOST/", text.removeprefix(f"{EPISODE_ENDED} The environment failed: "))


def outcome(played: Played) -> str:
    verdict = played.verdict()
    return f"`{verdict['failure_kind']}`" if verdict["mask_sample"] else "its reward"


def test_the_documented_table_matches() -> None:
    faults = FAULTS | EXTRA
    if found.keys() != faults.keys():
        pytest.skip("only some of the faults were tested")
    adapter, naive = documented.verdicts("s1-generic"), documented.verdicts("s2-bridge")
    rows = [[f"`{fault}`", outcome(played), naive[fault], adapter.get(fault, "—")] for fault, played in found.items()]
    assert len(rows) == 22
    documented.check_table("faults", ["fault", "Gym gets", "a naive bridge", "NeMo Gym's adapter"], rows)
    items = [
        f'`{fault}` ({when(fault)}): {faults[fault]}. The model reads "{text_read(played)}".'
        for fault, played in found.items()
    ]
    documented.check_list("fault texts", items)


async def test_under_load_every_rollout_has_its_own_reward_or_a_mask(
    faulty: Served, bridges: Callable[..., Served], clients: Clients
) -> None:
    """Correct and faulty rollouts, four for each session: a fault of one does not affect another."""
    await Control(faulty.url).set(capacity=16, slow_s=0.2)
    client = await clients(bridges(faulty.url, tool_timeout=5, reset_timeout=300))
    luck = random.Random(7)
    faults = [name for name in FAULT_NAMES if name not in ("reset_hangs", "end_hangs", "tool_raises")]
    tasks = [
        row("faults", FAULT_NAMES.index(luck.choice(faults))) if luck.random() < 0.2 else row("train", n)
        for n in range(400)
    ]
    turns = asyncio.Semaphore(64)

    async def play(task: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        async with turns:
            episode = Episode(client, task)
            assert (await episode.seed()).ok
            assert (await episode.tool("submit_schedule", ARGUMENTS)).ok
            answer = await episode.verify()
            assert answer.ok, answer
            return task, answer.json()

    for task, verdict in await asyncio.gather(*(play(task) for task in tasks)):
        if verdict["mask_sample"]:
            assert (task["split"], verdict["reward"]) == ("faults", 0)
            assert verdict["failure_kind"]
        else:
            assert verdict["reward"] == expected_reward(task, ARGUMENTS)
    await Control(faulty.url).release()
    await asyncio.to_thread(wait_until, nothing_open)
