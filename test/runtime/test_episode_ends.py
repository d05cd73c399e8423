"""Events that end an episode from outside, in every state. The results are a table in docs/resources-server.md."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import documented
from faulty_env import SWITCHBOARD
from faulty_tasks import FAULT_NAMES
from gymclient import SCHEDULE, Answer, Control, Episode
from serve_subject import make_app
from serving import Clients, Served, bridge, nothing_open, row, serve, wait_until
from test_typed_sessions import Typed

STATES = ["seeding", "playing", "in a call", "ended", "verified"]
EVENTS = {
    "the OpenEnv server goes away": {"seeding": "transport_peer_drop", "playing": "transport_peer_drop"},
    "the session is idle": {"playing": "session_expired"},
    "Gym closes the session": {"seeding": "cancelled", "playing": "cancelled"},
    "the resources server is stopped": {"seeding": "shutdown", "playing": "shutdown"},
}
BUSY = "its own limit applies"

found: dict[tuple[str, str], str] = {}


def expected(event: str, state: str) -> str:
    if state in ("ended", "verified"):
        return "its reward"
    if event.startswith("the session is idle") and state != "playing":
        return BUSY  # a reset or a call is running and has its own limit
    kinds = EVENTS[event]
    return f"masked: `{kinds['seeding' if state == 'seeding' else 'playing']}`"


async def bring_to(state: str, made: Episode) -> asyncio.Task[Answer] | None:
    """Bring the episode into ``state``. Returns the running call, if there is one."""
    assert (await made.seed()).ok
    if state == "seeding":
        await asyncio.to_thread(wait_until, lambda: SWITCHBOARD.sockets == 1)
        return None
    if state == "in a call":
        assert (await made.tool("wait", {"seconds": 0})).ok
        call = asyncio.create_task(made.tool("submit_schedule", {"schedule": SCHEDULE}))
        await asyncio.sleep(0.3)
        return call
    assert (await made.tool("submit_schedule", {"schedule": SCHEDULE})).ok
    if state == "verified":
        assert (await made.verify()).json()["mask_sample"] is False
    return None


FAULT_OF = {"seeding": "reset_hangs", "in a call": "tool_hangs", "ended": "tool_done"}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("event", EVENTS)
async def test_outside_event(event: str, state: str, faulty: Served, clients: Clients) -> None:
    if expected(event, state) == BUSY:
        found[event, state] = BUSY
        return
    idle = 0.4 if event.startswith("the session is idle") else 60
    server = bridge(faulty.url, idle_timeout=idle, tool_timeout=30, reset_timeout=30)
    with serve(make_app(server)) as served:
        fault = FAULT_OF.get(state, "none")
        task = row("faults", FAULT_NAMES.index(fault)) if fault != "none" else row()
        made = (Typed if "closes" in event else Episode)(await clients(served), task)
        call = await bring_to(state, made)
        await happen(event, made, faulty, served, server)
        if call is not None:
            assert (await call).text.startswith("The episode has ended. The environment failed: ")
        verdict = (await made.verify()).json()
    kind = verdict["failure_kind"]
    found[event, state] = f"masked: `{kind}`" if verdict["mask_sample"] else "its reward"
    assert (verdict["reward"] > 0) == (kind is None)
    assert found[event, state] == expected(event, state)
    await Control(faulty.url).release()
    await asyncio.to_thread(wait_until, nothing_open)


async def happen(event: str, made: Any, faulty: Served, served: Served, server: Any) -> None:
    if event.startswith("the OpenEnv server"):
        await Control(faulty.url, "/control/cut").set()
    elif event.startswith("the session is idle"):
        await asyncio.to_thread(wait_until, nothing_open)
    elif event.startswith("Gym"):
        assert (await made.close()).ok
    else:
        loop = served.server.servers[0].get_loop()
        loop.call_soon_threadsafe(server.stop)
        await asyncio.to_thread(wait_until, lambda: SWITCHBOARD.sockets == 0)


def test_the_documented_table_matches() -> None:
    if len(found) < len(EVENTS) * len(STATES):
        pytest.skip("only some of the events were tested")
    rows = [[state, *(found[event, state] for event in EVENTS)] for state in STATES]
    documented.check_table("ends", ["", *EVENTS], rows)
