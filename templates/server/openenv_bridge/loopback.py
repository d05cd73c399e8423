"""Serves an app on loopback for the process that started this one: says where, and ends with it.

Run as a script's sibling, in a Python without NeMo Gym. What is said is one JSON object a line, on standard output.

Every user of the machine can connect to a loopback port, and so can every web page in a browser on it. ``Guard``
refuses both: a user does not know the token, and a page sends its ``Origin`` or, by DNS rebinding, its ``Host``.
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
DRAIN_S = 0.3  # that requests under way get, once it is to end
TEARDOWN_S = 30.0  # that environments get to be torn down: past it they are left to their own time limits
LOOK_S = 1.0  # between two looks at who the parent is


def say(**message: Any) -> None:
    print(json.dumps(message), flush=True)


def token_from_stdin() -> str:
    """Read the token of this run: the first line of standard input, where no other process can see it.

    Call this before ``end_with_parent``, which reads on from there.
    """
    token = sys.stdin.readline().strip()
    if not token:
        sys.exit(f"{TOKEN_FLAG}: standard input has no token in its first line")
    return token


class Guard:
    """ASGI middleware: refuses requests without the token (if there is one), for another host, or of another origin."""

    def __init__(self, app: Any, token: str | None) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        why = None if scope["type"] == "lifespan" else self._refusal(scope)
        if why is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()  # websocket.connect
            await send({"type": "websocket.close", "code": 1008, "reason": why})  # before it is accepted: HTTP 403
        else:
            plain = [(b"content-type", b"text/plain; charset=utf-8")]
            await send({"type": "http.response.start", "status": 403, "headers": plain})
            await send({"type": "http.response.body", "body": why.encode()})

    def _refusal(self, scope: Any) -> str | None:
        port = scope["server"][1]
        hosts = [f"{name}:{port}".encode() for name in (HOST, "localhost")]
        if port == 80:  # which clients leave out
            hosts += [HOST.encode(), b"localhost"]
        host = _values(scope, "host")
        if len(host) != 1 or host[0].lower() not in hosts:
            return "wrong Host header"
        if any(origin.lower() != b"http://" + host[0].lower() for origin in _values(scope, "origin")):
            return "requests of other origins are refused"
        if self._token is not None:
            sent = _values(scope, TOKEN_HEADER)
            if len(sent) != 1 or not hmac.compare_digest(sent[0], self._token.encode()):
                return f"missing or wrong {TOKEN_HEADER} header"
        return None


def _values(scope: Any, header: str) -> list[bytes]:
    name = header.lower().encode()
    return [value for key, value in scope["headers"] if key == name]


def end_with_parent() -> None:
    """From now on, end (by SIGTERM) when standard input closes, where that is a pipe, or when the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback, and no wait for an import, until there is a server
    threading.Thread(target=_watch, args=(os.getppid(),), name="parent", daemon=True).start()


def _watch(parent: int) -> None:
    mode = os.fstat(0).st_mode
    piped = [0] if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) else []
    while os.getppid() == parent:
        if select.select(piped, [], [], LOOK_S)[0] and not os.read(0, 4096):
            break
    os.kill(os.getpid(), signal.SIGTERM)


def serve(app: Any, port: int = 0, *, token: str | None = None, **ready: Any) -> None:
    """Serve until SIGINT, SIGTERM or the parent's end. ``{"url": …}`` is said, with ``ready``, when it answers.

    With a ``token``, each request must send it in ``TOKEN_HEADER``.
    """
    import uvicorn

    class Config(uvicorn.Config):
        def load(self) -> None:
            super().load()  # which also finds out what kind of app it is
            self.loaded_app = Guard(self.loaded_app, token)

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                say(url=f"http://{HOST}:{self.servers[0].sockets[0].getsockname()[1]}", **ready)

        def handle_exit(self, sig: int, frame: Any) -> None:
            timer = threading.Timer(TEARDOWN_S, os._exit, (128 + sig,))
            timer.daemon = True
            timer.start()
            super().handle_exit(sig, frame)

    for each in (signal.SIGINT, signal.SIGTERM):  # which uvicorn, once it is done, hands the signal on to
        signal.signal(each, lambda *_: sys.exit(0))
    code = 0
    # uvicorn takes a fraction of a second, and says int.
    drain: Any = DRAIN_S
    config = Config(app, host=HOST, port=port, log_level="warning", timeout_graceful_shutdown=drain)
    try:
        Server(config).run()
    except SystemExit as e:  # of a handler above, or of uvicorn where it can't listen
        code = e.code if isinstance(e.code, int) else e.code is not None
    finally:
        _end_children()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # whoever reads it may be gone
            stream.flush()
    os._exit(code)  # all is torn down: no need to take Python apart, nor to wait for threads that only wait


def _end_children() -> None:
    """What was started here is in this process's group, where that is its own."""
    if os.getpgrp() == os.getpid():
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.killpg(0, signal.SIGTERM)
