"""Servers in threads, and helpers of the tests."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any
from unittest.mock import MagicMock

import uvicorn
from nemo_gym.mcp_auto_exposure import maybe_auto_expose
from nemo_gym.server_utils import KeepaliveHttpToolsProtocol, ServerClient

from faulty_env import SWITCHBOARD
from openenv_bridge import OpenEnvConfig, OpenEnvResourcesServer
from serve_subject import make_app


@dataclass
class Served:
    url: str
    server: uvicorn.Server


@contextlib.contextmanager
def serve(app: Any, **settings: Any) -> Iterator[Served]:
    """Serve an ASGI app on a free port until the block ends."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1, **settings)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        wait_until(lambda: server.started or not thread.is_alive())
        assert server.started
        try:
            yield Served(f"http://127.0.0.1:{listener.getsockname()[1]}", server)
        finally:
            server.should_exit = True
            thread.join(10)


def bridge(url: str | None, **config: Any) -> OpenEnvResourcesServer:
    base = {"host": "127.0.0.1", "port": 0, "entrypoint": "app.py", "name": "bridge_test", "domain": "agent"}
    limits = {"tool_timeout": 5, "reset_timeout": 5, "idle_timeout": 30}
    settings = OpenEnvConfig(**{**base, **limits, "url": url, **config})
    return OpenEnvResourcesServer(config=settings, server_client=MagicMock(spec=ServerClient))


def bridge_app(url: str, **config: Any) -> Any:
    server = bridge(url, **config)
    app = make_app(server)
    maybe_auto_expose(server, app)
    return app


def wait_until(done: Callable[[], Any], within_s: float = 60.0) -> None:
    deadline = time.monotonic() + within_s
    while not done():
        assert time.monotonic() < deadline, "the condition did not become true"
        time.sleep(0.01)


def nothing_open() -> bool:
    """Whether the faulty server has no open environment and no open socket."""
    return (SWITCHBOARD.envs, SWITCHBOARD.sockets) == (0, 0)


def row(split: str = "train", index: int = 0, **changes: Any) -> dict[str, Any]:
    from make_rows import row as make

    return {**make(split, index), **changes}


Clients = Callable[[Served], Any]
keepalive_http = partial(KeepaliveHttpToolsProtocol, keepalive=(60, 10, 3))
__all__ = ["AsyncIterator", "Clients", "Served", "bridge", "bridge_app", "nothing_open", "row", "serve", "wait_until"]
