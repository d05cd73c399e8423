"""Limits how many sessions are open at once, and queues the others in order.

A server reports its limit only when all sessions are in use, and other clients may hold some of them. So the limit is
learned: after a refusal, it is the number of sessions that are open. When a session ends, the first one in the queue
starts. From time to time, one more session is tried, to detect sessions that other clients have freed.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import logging
import math

logger = logging.getLogger(__name__)

PROBE_PAUSES_S = (0.1, 2.0)  # the first and the longest pause between two attempts beyond the limit


class Slot:
    """Permission to open one session."""

    def __init__(self, limit: ConcurrencyLimit) -> None:
        self._limit = limit
        self._held = True

    def release(self) -> None:
        """Free the slot, after the session has ended on the server, too."""
        if self._held:
            self._held = False
            self._limit.on_released()

    def refused(self, max_sessions: int | None) -> None:
        """Free the slot, because the server had no free session. If the socket has closed, the slot is free already."""
        held, self._held = self._held, False
        self._limit.on_refused(max_sessions, held=held)


class ConcurrencyLimit:
    """A semaphore whose size is learned from refusals. ``server`` is the server's name in the log."""

    def __init__(self, server: str) -> None:
        self.in_use = 0
        self._server = server
        self._limit = math.inf
        self._tickets = itertools.count()
        self._waiting: list[tuple[int, asyncio.Future[Slot]]] = []
        self._prober: asyncio.Task[None] | None = None
        self._warned = False

    def ticket(self) -> int:
        """Return a position in the queue. It stays the same even if the server refuses the session."""
        return next(self._tickets)

    async def acquire(self, ticket: int) -> Slot:
        """Wait for a slot."""
        if self.in_use < self._limit and not self._waiting:
            self.in_use += 1
            return Slot(self)
        entry = (ticket, asyncio.get_running_loop().create_future())
        heapq.heappush(self._waiting, entry)
        self._grant()
        if self._prober is None or self._prober.done():
            self._prober = asyncio.create_task(self._probe())
        try:
            return await entry[1]
        except asyncio.CancelledError:
            if entry in self._waiting:
                self._waiting.remove(entry)
                heapq.heapify(self._waiting)
            elif not entry[1].cancelled():  # the slot was granted just before the cancellation
                entry[1].result().release()
            raise

    def on_released(self) -> None:
        self.in_use -= 1
        self._grant()

    def on_refused(self, max_sessions: int | None, *, held: bool) -> None:
        self.in_use -= held
        self._limit = min(self._limit, self.in_use)
        if not self._warned:
            self._warned = True
            logger.warning(
                "the OpenEnv server at %s is full: all %s sessions are in use, so rollouts wait. Raise the server's "
                "max_concurrent_envs, or lower Gym's concurrency.",
                self._server,
                "?" if max_sessions is None else max_sessions,
            )

    def _grant(self) -> None:
        while self._waiting and self.in_use < self._limit:
            self._grant_one()
        if self.in_use < self._limit:
            self._limit = math.inf  # the queue is empty, so the limit is learned again

    def _grant_one(self) -> None:
        _, future = heapq.heappop(self._waiting)
        if not future.done():
            self.in_use += 1
            future.set_result(Slot(self))

    async def _probe(self) -> None:
        pause, longest = PROBE_PAUSES_S
        while self._waiting:
            await asyncio.sleep(pause)
            pause = min(2 * pause, longest)
            if self._waiting and self.in_use >= self._limit:
                self._grant_one()
                self._limit = self.in_use
