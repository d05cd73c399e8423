"""Runs a tool call once, even if Gym's client posts it twice.

Gym's HTTP client has no time limit, and posts a request again, without end, if its connection broke. Gym's server
cancels the handler of a client that is gone. So each call runs in its own task, which continues, and the response is
kept for the repeated request.

A response may also be lost on its way, which this server cannot see. So the session's cookie counts the responses.
Gym's agents send the cookie of the last response that they received: a repeated call has the same count, and a new call
has another one. A call is identified by its count, its tool and its arguments.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from openenv_bridge import tasks

MAX_KEPT = 64  # responses of one session, for calls that were made in parallel

Key = tuple[int | None, str, bytes]


@dataclass(slots=True)
class _Call:
    task: asyncio.Task[str]
    delivered: bool = False  # at least one client was connected when the response was ready


class IdempotentCalls:
    """The calls of one session that are running, or that may be repeated."""

    def __init__(self) -> None:
        self.responses = 0  # to different calls
        self._calls: dict[Key, _Call] = {}

    async def run(self, tool: str, body: bytes, seen: int | None, func: Callable[[], Coroutine[Any, Any, str]]) -> str:
        """Return the response of ``func()``, or of the same call if it was made before.

        ``seen`` is how many responses the client had received when it made the call, or None if it does not count them.
        Without a count, a repeated call is recognized only while the first is running or undelivered.

        Two equal parallel calls of one session are taken for one call that was posted twice. (A client with a silently
        broken connection looks connected. simple_agent makes its calls one after the other.)
        """
        key = (seen, tool, body)
        call = self._calls.get(key)
        if call is None:
            self._discard_finished(seen)
            call = self._calls[key] = _Call(tasks.start(func()))
        text = await asyncio.shield(call.task)
        if not call.delivered:
            call.delivered = True
            self.responses += 1
        if seen is None and self._calls.get(key) is call:
            del self._calls[key]
        return text

    def _discard_finished(self, seen: int | None) -> None:
        """Discard calls that cannot be repeated: a new call shows that its client received the earlier responses."""
        for key, call in list(self._calls.items()):
            is_over = key[0] is None or (call.delivered and key[0] != seen) or len(self._calls) >= MAX_KEPT
            if is_over and call.task.done():
                del self._calls[key]
