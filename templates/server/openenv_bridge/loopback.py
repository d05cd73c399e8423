"""Serves an app on loopback for the process that started this one: says where, and ends with it.

Run as a script's sibling, in a Python without NeMo Gym. What is said is one JSON object a line, on standard output.
"""

from __future__ import annotations

import atexit
import contextlib
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
DRAIN_S = 0.3  # that requests under way get, once it is to end
TEARDOWN_S = 30.0  # that environments get to be torn down: past it they are left to their own time limits
LOOK_S = 1.0  # between two looks at who the parent is


def say(**message: Any) -> None:
    print(json.dumps(message), flush=True)


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


def serve(app: Any, port: int = 0, **ready: Any) -> None:
    """Serve until SIGINT, SIGTERM or the parent's end. ``{"url": …}`` is said, with ``ready``, when it answers."""
    import uvicorn

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
    config = uvicorn.Config(app, host=HOST, port=port, log_level="warning", timeout_graceful_shutdown=drain)
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
