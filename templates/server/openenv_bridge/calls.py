"""A call that Gym's client posts again isn't run again, where that can be told.

Gym's HTTP client has no time limit and posts a request whose connection broke once more, for ever. Its server side
cancels the handler of a client that is gone. So a call runs in a task of its own, which goes on; its answer is kept
until the same call comes again, or another one shows that the client has moved on.
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
        self._kept: dict[tuple[str, bytes], _Call] = {}

    async def once(self, tool: str, body: bytes, run: Callable[[], Coroutine[Any, Any, str]]) -> str:
        """The answer of ``run()``, or of the same call where that is still under way or has lost its client.

        A client whose connection broke without a sign looks as if it were there: two equal calls of a session at one
        time are taken for one that was posted twice. (simple_agent makes its calls one after the other.)
        """
        key = (tool, body)
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
        return text

    def _forget_answered(self) -> None:
        self._kept = {key: call for key, call in self._kept.items() if not call.task.done()}
