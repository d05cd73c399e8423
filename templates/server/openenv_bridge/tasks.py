"""Runs work beside the caller: coroutines in tasks, and long computations in threads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

LARGE = 64 * 1024  # bytes; larger responses are processed in a thread, so that other sessions do not wait


def start(coroutine: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Run ``coroutine`` in a task. It runs at once until it first waits, and not only in the loop's next iteration."""
    return asyncio.Task(coroutine, loop=asyncio.get_running_loop(), eager_start=True)


async def offload(size: int, func: Callable[..., Any], *args: Any) -> Any:
    """Call ``func(*args)``, in a thread if it processes a response of more than LARGE bytes."""
    return await asyncio.to_thread(func, *args) if size > LARGE else func(*args)
