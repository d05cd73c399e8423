"""What happens around serving: the heap is frozen once it is built, and a signal ends the episodes at once."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import signal
import threading
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from types import FrameType
from typing import Any

from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send

from openenv_bridge.config import ConfigError


def install(
    app: FastAPI,
    *,
    on_start: Callable[[], Awaitable[None]] | None = None,
    on_signal: Callable[[], None],
    on_stop: Callable[[], Awaitable[None]],
) -> None:
    """Wrap the app's lifespan. ``on_start`` runs before it answers, ``on_signal`` when SIGINT or SIGTERM comes, and
    ``on_stop`` when serving is over.

    The last two are apart because uvicorn first waits for requests under way (Gym gives it half a second), and Gym
    kills a server one second after its SIGINT: what they wait for must be ended first.
    """
    serve = app.router.lifespan_context
    if on_start is not None:
        app.add_middleware(_Start, run=on_start)

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[Any]:
        async with serve(app) as state:
            restore = _before_signals(on_signal)
            # A full collection of a Gym server's 340,000 objects takes 0.2 to 0.3 s: leave out what is there to stay.
            gc.collect()
            gc.freeze()
            try:
                yield state
            finally:
                restore()
                await on_stop()

    app.router.lifespan_context = lifespan


class _Start:
    """Around the whole app: where ``run`` raises, the server doesn't start and says why, a ConfigError in a line.

    The app's own lifespan could only let it through, and Starlette would show where it came from. It is said, not only
    raised: uvicorn takes an app that raises here for one without a lifespan, and serves it.
    """

    def __init__(self, app: ASGIApp, run: Callable[[], Awaitable[None]]) -> None:
        self._app, self._run = app, run

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            try:
                await self._run()
            except Exception as e:
                message = str(e) if isinstance(e, ConfigError) else traceback.format_exc()
                await receive()
                await send({"type": "lifespan.startup.failed", "message": message})
                raise
        await self._app(scope, receive, send)


def _before_signals(run: Callable[[], None]) -> Callable[[], None]:
    """Call ``run`` in this event loop before the handlers that are installed now; returns what undoes it."""
    loop = asyncio.get_running_loop()
    handlers: dict[signal.Signals, Any] = {}

    def handle(number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(run)
        handler = handlers[signal.Signals(number)]
        if callable(handler):
            handler(number, frame)

    if threading.current_thread() is threading.main_thread():  # else somebody else sees to signals
        for number in (signal.SIGINT, signal.SIGTERM):
            handler = signal.getsignal(number)
            if callable(handler):  # uvicorn's; a signal that is ignored stays so
                handlers[number] = handler
                signal.signal(number, handle)

    def restore() -> None:
        for number, handler in handlers.items():
            signal.signal(number, handler)

    return restore
