"""A bundle that this server serves itself: AgentEnv's own OpenEnv server, as a child process.

The child is ``serve_bundle.py``, with this venv's Python. It ends with this process, however that ends. If it ends by
itself, the episodes that it held are lost and masked, the processes that it left are killed, and it is started again.
Requests wait meanwhile. Only this process knows the token that the child asks for.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import resource
import secrets
import signal
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path
from typing import Any

from openenv_bridge.config import ConfigError, OpenEnvConfig
from openenv_bridge.loopback import TOKEN_FLAG, TOKEN_HEADER

logger = logging.getLogger(__name__)

PROGRAM = Path(__file__).with_name("serve_bundle.py")
CONFIGS = Path(__file__).resolve().parent.parent / "configs"  # what a relative path in the config starts from
PAUSES_S = (1.0, 30.0)  # the first and the longest pause before a child is started once more
MARK = "GYMGEN_BUNDLE_SERVER"  # the variable with the mark that all processes of one child inherit; it is not a secret
MARKS = (2**62, 2**63)  # their range; see `_mark`
EXIT_POLL_S = 0.1
KILL_ROUNDS = 5
LAST_OUTPUT_S = 0.5  # for what a child said before it ended: a process that outlives it may hold its output open
STOP_S = 0.4  # of the second that Gym gives us: AgentEnv then goes on to tear its environments down alone


class Bundle:
    """``config.bundle`` is a folder's path or an installed bundle's name."""

    def __init__(self, config: OpenEnvConfig) -> None:
        assert config.bundle is not None
        self._bundle = located(config.bundle)
        self._folder = self._bundle if os.path.isdir(self._bundle) else None
        options = {
            "reward": config.reward,
            "sandbox": config.sandbox,
            "max-concurrent-envs": config.max_concurrent_envs,
        }
        self._options = [f"--{name}={value}" for name, value in options.items() if value is not None]
        self._child: Process | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._url: asyncio.Future[str] | None = None
        self._stopping = False
        self._refused: str | None = None  # why the child that was started last can't serve, in AgentEnv's words
        self._token = secrets.token_hex(32)
        self.headers = {TOKEN_HEADER: self._token}  # for each request to the child

    async def start(self) -> None:
        """Serve the bundle, and keep it served. Raises ConfigError where AgentEnv refuses it, in its words."""
        self._url = asyncio.get_running_loop().create_future()
        ended = await self._launch()
        self._keeper = asyncio.create_task(self._keep(ended))

    async def url(self) -> str:
        """Where it is served, as soon as it is."""
        assert self._url is not None, "the bundle is served once the server has started"
        return await asyncio.shield(self._url)

    def stop(self) -> None:
        """Tell the child to end, which it does by itself."""
        self._stopping = True
        if self._child is not None and self._child.returncode is None:
            self._child.terminate()

    async def closed(self) -> None:
        """Wait until the child has ended, for a moment."""
        self.stop()
        if self._keeper is not None:
            await asyncio.wait([self._keeper], timeout=STOP_S)
            self._keeper.cancel()

    async def _launch(self) -> asyncio.Task[None]:
        """Start a child and wait for its URL; the task reads on what it says."""
        # Bytecode is not for the bundle's folder.
        bytecode = {} if "PYTHONPYCACHEPREFIX" in os.environ else {"PYTHONDONTWRITEBYTECODE": "1"}
        first, end = MARKS
        mark = first + secrets.randbelow(end - first)
        self._refused = None
        child = self._child = await asyncio.create_subprocess_exec(
            sys.executable,
            str(PROGRAM),
            self._bundle,
            TOKEN_FLAG,
            *self._options,
            stdin=PIPE,  # which closes when this process is gone
            stdout=PIPE,
            cwd=self._folder,  # upwards of which AgentEnv looks for its settings
            env=dict(os.environ) | bytecode | {MARK: str(mark)},
            start_new_session=True,  # a Ctrl-C is ours to pass on
        )
        _mark(child.pid, mark)
        assert child.stdin is not None
        child.stdin.write(f"{self._token}\n".encode())
        if self._stopping:
            self.stop()
        ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        ended = asyncio.create_task(self._watch(child, mark, ready))
        assert self._url is not None
        self._url.set_result(await ready)
        return ended

    async def _watch(self, child: Process, mark: int, ready: asyncio.Future[str]) -> None:
        """Listen to ``child`` until it has ended, and end what it leaves."""
        listening = asyncio.create_task(self._listen(child, ready))
        code = await _exit_code(child)
        await asyncio.to_thread(_end_leftovers, child.pid, mark)
        await asyncio.wait([listening], timeout=LAST_OUTPUT_S)
        listening.cancel()
        if not ready.done():
            why = self._refused or f"its server ended with code {code} before it answered; see its log above"
            ready.set_exception(ConfigError(f"the bundle {self._bundle} can't be served: {why}"))

    async def _listen(self, child: Process, ready: asyncio.Future[str]) -> None:
        assert child.stdout is not None
        while True:
            try:
                line = await child.stdout.readline()
            except ValueError:  # longer than a StreamReader takes: not from serve_bundle.py
                continue
            if not line:
                return
            said = _json_object(line)
            if "url" in said and not ready.done():
                ready.set_result(str(said["url"]))
            elif "warning" in said:
                logger.warning("the bundle %s: %s", self._bundle, said["warning"])
            elif "progress" in said:
                logger.info("the bundle %s: %s", self._bundle, said["progress"])
            elif "refused" in said:
                self._refused = str(said["refused"])

    async def _keep(self, ended: asyncio.Task[None]) -> None:
        first, longest = PAUSES_S
        pause = first
        while True:
            await asyncio.wait([ended])
            if self._stopping:
                return
            self._url = asyncio.get_running_loop().create_future()
            logger.error(
                "the server of the bundle %s ended: its episodes are lost, and it is started again", self._bundle
            )
            while True:
                try:
                    ended = await self._launch()
                    pause = first
                    break
                except (ConfigError, OSError) as e:  # OSError: no process can be started, or its folder is gone
                    if self._stopping:
                        return
                    logger.error("%s; trying again in %g s", e, pause)
                    await asyncio.sleep(pause)
                    pause = min(2 * pause, longest)


def located(bundle: str) -> str:
    """The absolute path of a bundle's folder, or an installed bundle's name as it is."""
    if bundle.startswith("."):
        return str((CONFIGS / bundle).resolve())
    return os.path.expanduser(bundle)


def _json_object(line: bytes) -> dict[str, Any]:
    with contextlib.suppress(ValueError):
        value = json.loads(line)
        if isinstance(value, dict):
            return value
    return {}


async def _exit_code(child: Process) -> int:
    """Wait until ``child`` itself has ended. Before Python 3.12.4, asyncio's ``Process.wait()`` also waits until its
    pipes are closed, and a process that outlives the child can hold these."""
    waiting = asyncio.create_task(child.wait())
    while child.returncode is None:
        await asyncio.wait([waiting], timeout=EXIT_POLL_S)
    waiting.cancel()
    return child.returncode


def _mark(pid: int, mark: int) -> None:
    """Mark a process, and so each process that it starts, even one in a session of its own with a cleared environment.
    The mark is a limit (setrlimit(2)) that no process reaches: over 2**62 microseconds of real-time scheduling."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, ValueError):  # not supported, or a lower limit is set: MARK is all there is
            _, hard = resource.prlimit(pid, resource.RLIMIT_RTTIME)
            resource.prlimit(pid, resource.RLIMIT_RTTIME, (mark, hard))


def _end_leftovers(group: int, mark: int) -> None:
    """Kill what is left of a child: its process group and, on Linux, all processes with its mark. Repeated, as a
    process may have started another one meanwhile."""
    for _ in range(KILL_ROUNDS):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)
        if sum(_killed(pid, mark) for pid in _processes()) == 0:
            return


def _processes() -> list[int]:
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit()] if sys.platform == "linux" else []


def _killed(pid: int, mark: int) -> bool:
    """Kill the process if it has the mark. By a pidfd: its number may be another's by then."""
    try:
        process = os.pidfd_open(pid)
        try:
            if not _is_marked(pid, mark):
                return False
            signal.pidfd_send_signal(process, signal.SIGKILL)
            return True
        finally:
            os.close(process)
    except (OSError, AttributeError):  # it has ended or is another user's, or this system has no pidfds
        return False


def _is_marked(pid: int, mark: int) -> bool:
    if f"{MARK}={mark}".encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
        return True
    return resource.prlimit(pid, resource.RLIMIT_RTTIME)[0] == mark
