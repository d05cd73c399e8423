"""Serves a bundle with AgentEnv's own OpenEnv server, in a child process.

The child runs ``serve_bundle.py`` with the Python of this process, and ends with this process, even if it is killed. If
the child dies, its episodes are lost and masked, the processes that it left are killed, and it is restarted. Requests
wait meanwhile. Only this process knows the token that the child requires.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import secrets
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path
from typing import Any

from openenv_bridge.config import OpenEnvConfig
from openenv_bridge.endpoint import ConfigError

from . import leftovers
from .loopback import TOKEN_FLAG, TOKEN_HEADER

logger = logging.getLogger(__name__)

PROGRAM = Path(__file__).with_name("serve_bundle.py")
CONFIGS = Path(__file__).resolve().parent.parent / "configs"  # a relative path in the config starts here
RESTART_PAUSES_S = (1.0, 30.0)  # the first and the longest pause between two attempts to restart the child
LAST_OUTPUT_S = 0.5  # time to read the last output of a dead child; another process may hold its pipe open
STOP_S = 0.4  # Gym grants one second in total; AgentEnv then continues its teardown without this process


class Bundle:
    """``config.bundle`` is the path of a folder or the name of an installed bundle."""

    def __init__(self, config: OpenEnvConfig) -> None:
        assert config.bundle is not None
        self._bundle = resolve(config.bundle)
        self._folder = self._bundle if os.path.isdir(self._bundle) else None
        options = {
            "reward": config.reward,
            "sandbox": config.sandbox,
            "max-concurrent-envs": config.max_concurrent_envs,
        }
        self._options = [f"--{name}={value}" for name, value in options.items() if value is not None]
        self._child: Process | None = None
        self._supervisor: asyncio.Task[None] | None = None
        self._url: asyncio.Future[str] | None = None
        self._stopping = False
        self._refusal: str | None = None  # AgentEnv's reason why the last child cannot serve the bundle
        self._token = secrets.token_hex(32)

    @property
    def headers(self) -> dict[str, str]:
        """The headers that each request to the child must have."""
        return {TOKEN_HEADER: self._token}

    async def start(self) -> None:
        """Start the child and supervise it. Raises ConfigError with AgentEnv's message if it refuses the bundle."""
        self._url = asyncio.get_running_loop().create_future()
        ended = await self._launch()
        self._supervisor = asyncio.create_task(self._supervise(ended))

    async def url(self) -> str:
        """Return the URL of the child. During a restart, wait until the child is ready."""
        assert self._url is not None, "start() must be called first"
        return await asyncio.shield(self._url)

    def stop(self) -> None:
        """Ask the child to end, without waiting."""
        self._stopping = True
        if self._child is not None and self._child.returncode is None:
            self._child.terminate()

    async def wait_closed(self) -> None:
        """Stop the child, and wait up to STOP_S for its end."""
        self.stop()
        if self._supervisor is not None:
            await asyncio.wait([self._supervisor], timeout=STOP_S)
            self._supervisor.cancel()

    async def _launch(self) -> asyncio.Task[None]:
        """Start a child and wait for its URL. Returns a task that ends with the child."""
        # The bundle's folder must stay free of bytecode.
        bytecode = {} if "PYTHONPYCACHEPREFIX" in os.environ else {"PYTHONDONTWRITEBYTECODE": "1"}
        mark = leftovers.new_mark()
        self._refusal = None
        child = self._child = await asyncio.create_subprocess_exec(
            sys.executable,
            str(PROGRAM),
            self._bundle,
            TOKEN_FLAG,
            *self._options,
            stdin=PIPE,  # closes when this process ends
            stdout=PIPE,
            cwd=self._folder,  # AgentEnv looks for its settings here and in the folders above
            env=dict(os.environ) | bytecode | {leftovers.VARIABLE: str(mark)},
            start_new_session=True,  # Ctrl-C reaches this process only, which then stops the child
        )
        leftovers.mark_process(child.pid, mark)
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
        """Read the output of ``child`` until it ends, and then kill the processes that it left."""
        reading = asyncio.create_task(self._read_output(child, ready))
        code = await child.wait()
        await asyncio.to_thread(leftovers.kill, child.pid, mark)
        await asyncio.wait([reading], timeout=LAST_OUTPUT_S)
        reading.cancel()
        if not ready.done():
            reason = self._refusal or f"its server ended with code {code} before it was ready; see its log above"
            ready.set_exception(ConfigError(f"the bundle {self._bundle} cannot be served: {reason}"))

    async def _read_output(self, child: Process, ready: asyncio.Future[str]) -> None:
        assert child.stdout is not None
        while True:
            try:
                line = await child.stdout.readline()
            except ValueError:  # longer than a StreamReader accepts, so not from serve_bundle.py
                continue
            if not line:
                return
            message = _json_object(line)
            if "url" in message and not ready.done():
                ready.set_result(str(message["url"]))
            elif "warning" in message:
                logger.warning("bundle %s: %s", self._bundle, message["warning"])
            elif "progress" in message:
                logger.info("bundle %s: %s", self._bundle, message["progress"])
            elif "refused" in message:
                self._refusal = str(message["refused"])

    async def _supervise(self, ended: asyncio.Task[None]) -> None:
        """Restart the child each time it ends."""
        first, longest = RESTART_PAUSES_S
        pause = first
        while True:
            await asyncio.wait([ended])
            if self._stopping:
                return
            self._url = asyncio.get_running_loop().create_future()
            logger.error("the server of the bundle %s ended and its episodes are lost; restarting", self._bundle)
            while True:
                try:
                    ended = await self._launch()
                    pause = first
                    break
                except (ConfigError, OSError) as e:  # OSError: no process can be started, or the folder is gone
                    if self._stopping:
                        return
                    logger.error("%s; retrying in %g s", e, pause)
                    await asyncio.sleep(pause)
                    pause = min(2 * pause, longest)


def resolve(bundle: str) -> str:
    """Return the absolute path of a bundle's folder, or the name of an installed bundle unchanged."""
    if bundle.startswith("."):
        return str((CONFIGS / bundle).resolve())
    return os.path.expanduser(bundle)


def _json_object(line: bytes) -> dict[str, Any]:
    with contextlib.suppress(ValueError):
        value = json.loads(line)
        if isinstance(value, dict):
            return value
    return {}
