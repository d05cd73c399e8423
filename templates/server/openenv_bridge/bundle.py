"""A bundle that this server serves itself: AgentEnv's own OpenEnv server, as a child process.

The child is ``serve_bundle.py``, with this venv's Python. It ends with this process, however that ends. Where it ends
by itself, the episodes that it held are lost, and masked as such; it is started again, and what comes meanwhile waits.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path
from typing import Any

from openenv_bridge.config import ConfigError, OpenEnvConfig

logger = logging.getLogger(__name__)

PROGRAM = Path(__file__).with_name("serve_bundle.py")
CONFIGS = Path(__file__).resolve().parent.parent / "configs"  # what a relative path in the config starts from
PAUSES_S = (1.0, 30.0)  # the first and the longest pause before a child is started once more
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

    async def start(self) -> None:
        """Serve the bundle, and keep it served. Raises ConfigError where AgentEnv refuses it, in its words."""
        self._url = asyncio.get_running_loop().create_future()
        said = await self._launch()
        self._keeper = asyncio.create_task(self._keep(said))

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
        child = self._child = await asyncio.create_subprocess_exec(
            sys.executable,
            str(PROGRAM),
            self._bundle,
            *self._options,
            stdin=PIPE,  # which closes when this process is gone
            stdout=PIPE,
            cwd=self._folder,  # upwards of which AgentEnv looks for its settings
            env=dict(os.environ) | bytecode,
            start_new_session=True,  # a Ctrl-C is ours to pass on
        )
        if self._stopping:
            self.stop()
        ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        said = asyncio.create_task(self._listen(child, ready))
        assert self._url is not None
        self._url.set_result(await ready)
        return said

    async def _listen(self, child: Process, ready: asyncio.Future[str]) -> None:
        assert child.stdout is not None
        refused = None
        while line := await child.stdout.readline():
            said = _json_object(line)
            if "url" in said:
                ready.set_result(str(said["url"]))
            elif "warning" in said:
                logger.warning("the bundle %s: %s", self._bundle, said["warning"])
            elif "progress" in said:
                logger.info("the bundle %s: %s", self._bundle, said["progress"])
            refused = said.get("refused", refused)
        code = await child.wait()
        _end_group(child)
        if not ready.done():
            why = refused or f"its server ended with code {code} before it answered; see its log above"
            ready.set_exception(ConfigError(f"the bundle {self._bundle} can't be served: {why}"))

    async def _keep(self, said: asyncio.Task[None]) -> None:
        first, longest = PAUSES_S
        pause = first
        while True:
            await asyncio.wait([said])
            if self._stopping:
                return
            self._url = asyncio.get_running_loop().create_future()
            logger.error(
                "the server of the bundle %s ended: its episodes are lost, and it is started again", self._bundle
            )
            while True:
                try:
                    said = await self._launch()
                    pause = first
                    break
                except ConfigError as e:
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


def _end_group(child: Process) -> None:
    """What a child that was killed has left: it has a process group of its own."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
