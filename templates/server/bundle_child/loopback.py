"""Serves an app on loopback for the process that started this one, and ends with that process.

This module runs in a Python without NeMo Gym, as the sibling of a script. Messages to the parent are JSON objects, one
per line, on standard output.

Every user of the machine can connect to a loopback port, and so can every web page in a local browser. ``Guard``
refuses both: other users do not know the token, and a page sends its ``Origin`` or, after DNS rebinding, its ``Host``.
"""

from __future__ import annotations

import atexit
import contextlib
import hmac
import json
import os
import select
import signal
import socket
import stat
import sys
import threading
from typing import Any

HOST = "127.0.0.1"
TOKEN_HEADER = "X-Gymgen-Token"
TOKEN_FLAG = "--token-on-stdin"
DRAIN_S = 0.3  # time for open requests when the server stops
TEARDOWN_S = 30.0  # time to tear environments down; after it they end by their own time limits
PARENT_POLL_S = 1.0


def send(**message: Any) -> None:
    """Send a message to the parent."""
    print(json.dumps(message), flush=True)


def token_from_stdin() -> str:
    """Read the token from the first line of standard input, where no other process can see it.

    Call this before ``end_with_parent``, which continues to read.
    """
    token = sys.stdin.readline().strip()
    if not token:
        sys.exit(f"{TOKEN_FLAG}: standard input has no token in its first line")
    return token


class Guard:
    """ASGI middleware that refuses requests without the token, for another host, or from another origin."""

    def __init__(self, app: Any, token: str | None) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        reason = None if scope["type"] == "lifespan" else self._refusal(scope)
        if reason is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()  # websocket.connect
            # Before the connection is accepted, a close becomes HTTP 403.
            await send({"type": "websocket.close", "code": 1008, "reason": reason})
        else:
            headers = [(b"content-type", b"text/plain; charset=utf-8")]
            await send({"type": "http.response.start", "status": 403, "headers": headers})
            await send({"type": "http.response.body", "body": reason.encode()})

    def _refusal(self, scope: Any) -> str | None:
        port = scope["server"][1]
        hosts = [f"{name}:{port}".encode() for name in (HOST, "localhost")]
        if port == 80:  # clients omit the default port
            hosts += [HOST.encode(), b"localhost"]
        host = _header_values(scope, "host")
        if len(host) != 1 or host[0].lower() not in hosts:
            return "wrong Host header"
        if any(origin.lower() != b"http://" + host[0].lower() for origin in _header_values(scope, "origin")):
            return "requests of other origins are refused"
        if self._token is not None:
            tokens = _header_values(scope, TOKEN_HEADER)
            if len(tokens) != 1 or not hmac.compare_digest(tokens[0], self._token.encode()):
                return f"missing or wrong {TOKEN_HEADER} header"
        return None


def _header_values(scope: Any, header: str) -> list[bytes]:
    name = header.lower().encode()
    return [value for key, value in scope["headers"] if key == name]


def end_with_parent() -> None:
    """End this process, by SIGTERM, when standard input closes (if it is a pipe) or when the parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # until the server runs, end at once and without a traceback
    threading.Thread(target=_watch_parent, args=(os.getppid(),), name="parent", daemon=True).start()


def _watch_parent(parent: int) -> None:
    mode = os.fstat(0).st_mode
    pipes = [0] if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) else []
    while os.getppid() == parent:
        if select.select(pipes, [], [], PARENT_POLL_S)[0] and not os.read(0, 4096):
            break
    os.kill(os.getpid(), signal.SIGTERM)


def serve(app: Any, port: int = 0, *, token: str | None = None, **ready: Any) -> None:
    """Serve until SIGINT, SIGTERM or the parent's end. When the app is ready, send ``{"url": …}`` and ``ready``.

    With a ``token``, each request must have it in the header TOKEN_HEADER.
    """
    import uvicorn

    class Config(uvicorn.Config):
        def load(self) -> None:
            super().load()  # detects the kind of app
            self.loaded_app = Guard(self.loaded_app, token)

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                send(url=f"http://{HOST}:{self.servers[0].sockets[0].getsockname()[1]}", **ready)

        def handle_exit(self, sig: int, frame: Any) -> None:
            timer = threading.Timer(TEARDOWN_S, os._exit, (128 + sig,))
            timer.daemon = True
            timer.start()
            super().handle_exit(sig, frame)

    for number in (signal.SIGINT, signal.SIGTERM):  # uvicorn raises the signal again when it has stopped
        signal.signal(number, lambda *_: sys.exit(0))
    code = 0
    drain: Any = DRAIN_S  # uvicorn accepts a fraction of a second, but declares an int
    config = Config(app, host=HOST, port=port, log_level="warning", timeout_graceful_shutdown=drain)
    try:
        Server(config).run()
    except SystemExit as e:  # from a handler above, or from uvicorn if it cannot listen
        code = e.code if isinstance(e.code, int) else e.code is not None
    finally:
        _end_children()
    # CPython has no public call for this: a normal exit first joins all threads, which may wait for ever.
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # the reader may be gone
            stream.flush()
    os._exit(code)  # do not wait for threads


def _end_children() -> None:
    """Send SIGTERM to this process's group, if it has one of its own."""
    if os.getpgrp() == os.getpid():
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.killpg(0, signal.SIGTERM)
