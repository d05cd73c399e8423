"""A call that Gym's client posts again isn't run again, where that can be told.

Gym's HTTP client has no time limit and posts a request whose connection broke once more, for ever. Its server side
cancels the handler of a client that is gone. So a call runs in a task of its own, which goes on; its answer is kept
until the same call comes again, or another one shows that the client has moved on.

An answer may also be lost on its way, when nobody here can see it. For that, the session's cookie counts the answers:
Gym's agents hand on the cookie of the last answer that they had, so a call that comes without the last one is a repeat.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any


@dataclass(slots=True)
class _Call:
    task: asyncio.Task[str]
    clients: int = 0  # handlers that wait for it


class Calls:
    """The calls of one session that are under way, or whose answer nobody has had."""

    def __init__(self) -> None:
        self.answers = 0  # that were given
        self._kept: dict[tuple[str, bytes], _Call] = {}
        self._last: tuple[tuple[str, bytes], str] | None = None  # the call that was answered last, and how

    async def once(self, tool: str, body: bytes, had: int | None, run: Callable[[], Coroutine[Any, Any, str]]) -> str:
        """The answer of ``run()``, or of the same call where that is still under way or has lost its client.

        ``had`` is how many answers the client had when it made the call, None where it doesn't say.

        A client whose connection broke without a sign looks as if it were there: two equal calls of a session at one
        time are taken for one that was posted twice. (simple_agent makes its calls one after the other.)
        """
        key = (tool, body)
        if self._last and self._last[0] == key and had == self.answers - 1:
            text = self._last[1]
            if had == 0:
                self._last = None  # only once: it may be a client that keeps its first cookie, and calls again
            return text
        call = self._kept.get(key)
        if call is None:
            self._forget_answered()
            call = self._kept[key] = _Call(asyncio.create_task(run()))
        call.clients += 1
        try:
            text = await asyncio.shield(call.task)
        finally:
            call.clients -= 1
        if not call.clients and self._kept.get(key) is call:
            del self._kept[key]
            self.answers += 1
            self._last = (key, text)
        return text

    def _forget_answered(self) -> None:
        self._kept = {key: call for key, call in self._kept.items() if not call.task.done()}
