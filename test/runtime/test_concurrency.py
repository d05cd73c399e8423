"""The limit on open sessions, and its queue."""

from __future__ import annotations

import asyncio
import logging

import pytest

from openenv_bridge import concurrency
from openenv_bridge.concurrency import ConcurrencyLimit, Slot


class Server:
    """A server with ``size`` sessions, ``taken`` of them by other clients. ``open`` is the loop of client.py."""

    def __init__(self, size: int, taken: int = 0) -> None:
        self.size, self.taken, self.tries = size, taken, 0
        self.limit = ConcurrencyLimit("ws://server/ws")

    async def open(self) -> Slot:
        ticket = self.limit.ticket()
        while True:
            slot = await self.limit.acquire(ticket)
            self.tries += 1
            if self.taken < self.size:
                self.taken += 1
                return slot
            slot.refused(self.size)

    def end(self, slot: Slot) -> None:
        self.taken -= 1
        slot.release()


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concurrency, "PROBE_PAUSES_S", (0.01, 0.02))


@pytest.fixture
def no_probes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concurrency, "PROBE_PAUSES_S", (60.0, 60.0))


async def waiting(server: Server, count: int) -> list[asyncio.Task[Slot]]:
    tasks = [asyncio.create_task(server.open()) for _ in range(count)]
    for _ in range(5):
        await asyncio.sleep(0)
    return tasks


async def test_nobody_waits_while_there_is_room() -> None:
    server = Server(3)
    assert all(task.done() for task in await waiting(server, 3))
    assert server.tries == 3


@pytest.mark.usefixtures("no_probes")
async def test_sessions_beyond_the_limit_start_in_order_as_others_end() -> None:
    server = Server(2)
    tasks = await waiting(server, 6)
    for n in range(2, 6):
        assert [task.done() for task in tasks] == [True] * n + [False] * (6 - n)
        server.end(tasks[n - 2].result())
        await asyncio.wait_for(asyncio.shield(tasks[n]), 60)
    assert server.tries == 2 + 1 + 4  # one refusal is enough for all that wait


@pytest.mark.usefixtures("no_probes")
async def test_a_new_session_does_not_overtake_waiting_ones() -> None:
    server = Server(1)
    first, second = await waiting(server, 2)
    server.end(first.result())
    (third,) = await waiting(server, 1)
    assert second.done()
    assert not third.done()
    third.cancel()


async def test_sessions_that_other_clients_free_are_detected() -> None:
    server = Server(1, taken=1)
    (task,) = await waiting(server, 1)
    assert not task.done()
    server.taken = 0
    await asyncio.wait_for(task, 60)


async def test_a_server_that_stays_full_is_rarely_probed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concurrency, "PROBE_PAUSES_S", (0.02, 1.0))
    server = Server(1, taken=1)
    tasks = await waiting(server, 20)
    await asyncio.sleep(0.2)
    assert server.tries <= 20 + 4
    for task in tasks:
        task.cancel()


async def test_a_cancelled_wait_leaves_the_queue() -> None:
    server = Server(1)
    first, second, third = await waiting(server, 3)
    second.cancel()
    server.end(first.result())
    server.end(await asyncio.wait_for(third, 60))
    assert all(task.done() for task in await waiting(server, 1))


async def test_a_wait_that_is_cancelled_when_granted_passes_the_slot_on() -> None:
    server = Server(1)
    first, second, third = await waiting(server, 3)
    server.end(first.result())  # grants the slot to the second, which has not resumed yet
    second.cancel()
    await asyncio.wait_for(third, 60)


async def test_a_slot_is_released_once() -> None:
    server = Server(1)
    slot = await server.open()
    slot.release()
    slot.release()
    slot.refused(1)
    assert server.limit.in_use == 0


@pytest.mark.usefixtures("no_probes")
async def test_a_refusal_counts_even_if_the_socket_closed_first() -> None:
    server = Server(1)
    await server.open()
    slot = await server.limit.acquire(server.limit.ticket())
    slot.release()
    slot.refused(1)
    (task,) = await waiting(server, 1)
    assert not task.done()
    assert server.tries == 1
    task.cancel()


async def test_a_full_server_is_logged_once_with_its_limit_and_the_setting(caplog: pytest.LogCaptureFixture) -> None:
    server = Server(2)
    for task in (await waiting(server, 6))[2:]:
        task.cancel()
    (logged,) = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert "all 2 sessions are in use" in logged
    assert "max_concurrent_envs" in logged
    assert "ws://server/ws" in logged
