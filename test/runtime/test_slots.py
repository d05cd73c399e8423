"""Waiting for a free session, in order."""

from __future__ import annotations

import asyncio
import logging

import pytest

from openenv_bridge import slots as module
from openenv_bridge.slots import Lease, Slots


class Server:
    """A server of ``size`` sessions, of which others hold ``taken``; a client opens one as openenv.py does."""

    def __init__(self, size: int, taken: int = 0) -> None:
        self.size, self.taken, self.tries = size, taken, 0
        self.slots = Slots("ws://server/ws")

    async def open(self) -> Lease:
        ticket = self.slots.ticket()
        while True:
            lease = await self.slots.acquire(ticket)
            self.tries += 1
            if self.taken < self.size:
                self.taken += 1
                return lease
            lease.refused(self.size)

    def end(self, lease: Lease) -> None:
        self.taken -= 1
        lease.release()


@pytest.fixture(autouse=True)
def _quick_probes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PROBE_S", (0.01, 0.02))


@pytest.fixture
def no_probes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PROBE_S", (60.0, 60.0))


async def waiting(server: Server, count: int) -> list[asyncio.Task[Lease]]:
    tasks = [asyncio.create_task(server.open()) for _ in range(count)]
    for _ in range(5):
        await asyncio.sleep(0)
    return tasks


async def test_nobody_waits_while_there_is_room() -> None:
    server = Server(3)
    assert all(task.done() for task in await waiting(server, 3))
    assert server.tries == 3


@pytest.mark.usefixtures("no_probes")
async def test_sessions_past_the_limit_come_in_as_others_end_in_order() -> None:
    server = Server(2)
    tasks = await waiting(server, 6)
    for n in range(2, 6):
        assert [task.done() for task in tasks] == [True] * n + [False] * (6 - n)
        server.end(tasks[n - 2].result())
        await asyncio.wait_for(asyncio.shield(tasks[n]), 60)
    assert server.tries == 2 + 1 + 4  # one refusal told all the others


@pytest.mark.usefixtures("no_probes")
async def test_a_newcomer_does_not_overtake_who_waits() -> None:
    server = Server(1)
    first, second = await waiting(server, 2)
    server.end(first.result())
    (third,) = await waiting(server, 1)
    assert second.done()
    assert not third.done()
    third.cancel()


async def test_what_other_clients_free_is_found_out() -> None:
    server = Server(1, taken=1)
    (task,) = await waiting(server, 1)
    assert not task.done()
    server.taken = 0
    await asyncio.wait_for(task, 60)


async def test_a_server_that_stays_full_is_not_asked_all_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PROBE_S", (0.02, 1.0))
    server = Server(1, taken=1)
    tasks = await waiting(server, 20)
    await asyncio.sleep(0.2)
    assert server.tries <= 20 + 4
    for task in tasks:
        task.cancel()


async def test_who_gives_up_leaves_the_queue_and_takes_nothing_along() -> None:
    server = Server(1)
    first, second, third = await waiting(server, 3)
    second.cancel()
    server.end(first.result())
    server.end(await asyncio.wait_for(third, 60))
    assert all(task.done() for task in await waiting(server, 1))


async def test_who_gives_up_just_when_let_in_gives_the_place_on() -> None:
    server = Server(1)
    first, second, third = await waiting(server, 3)
    server.end(first.result())  # lets the second in, which doesn't know yet
    second.cancel()
    await asyncio.wait_for(third, 60)


async def test_a_lease_is_given_back_once() -> None:
    server = Server(1)
    lease = await server.open()
    lease.release()
    lease.release()
    lease.refused(1)
    assert server.slots._open == 0


@pytest.mark.usefixtures("no_probes")
async def test_a_refusal_counts_even_where_the_socket_was_closed_before_it_was_read() -> None:
    server = Server(1)
    await server.open()
    lease = await server.slots.acquire(server.slots.ticket())
    lease.release()
    lease.refused(1)
    (task,) = await waiting(server, 1)
    assert not task.done()
    assert server.tries == 1
    task.cancel()


async def test_a_full_server_is_warned_of_once_with_its_limit_and_the_setting(caplog: pytest.LogCaptureFixture) -> None:
    server = Server(2)
    for task in (await waiting(server, 6))[2:]:
        task.cancel()
    (logged,) = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert "all of its 2 sessions are taken" in logged
    assert "max_concurrent_envs" in logged
    assert "ws://server/ws" in logged
