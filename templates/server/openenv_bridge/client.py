"""A client of the OpenEnv server: opens sessions, and waits while the server is full."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping

from openenv_bridge import messages
from openenv_bridge.concurrency import ConcurrencyLimit, Slot
from openenv_bridge.config import OpenEnvConfig
from openenv_bridge.connector import BundleServer, Connector
from openenv_bridge.environment_check import EnvironmentCheck
from openenv_bridge.mask import Failure, ProviderUnavailable, TransportTimeout
from openenv_bridge.row import Task
from openenv_bridge.websocket import Connection

OnFailure = Callable[[Failure], None]


class OpenEnvClient:
    """Opens sessions on ``config.url``, or on ``bundle``. Raises ConfigError if the config cannot be used."""

    def __init__(self, config: OpenEnvConfig, environ: Mapping[str, str], bundle: BundleServer | None = None) -> None:
        self._connector = Connector(config, environ, bundle)
        self._reset_timeout = config.reset_timeout
        self.check = EnvironmentCheck(self._connector.display_name, config.environment, self._connector.get)
        self.limit = ConcurrencyLimit(self._connector.display_name)
        self._connections: set[Connection] = set()

    async def open_session(
        self, task: Task, on_unexpected_frame: OnFailure | None = None
    ) -> tuple[Connection, messages.StepResult]:
        """Wait for a free session and reset it to ``task``, both within ``reset_timeout``.

        Raises a Failure, or messages.ErrorFrame with the environment's message.
        """
        ticket, slot = self.limit.ticket(), None
        failures: list[Failure] = []  # of connections that did not succeed
        started = acquired = time.monotonic()
        try:
            async with asyncio.timeout(self._reset_timeout):
                while True:
                    slot = None
                    slot = await self.limit.acquire(ticket)
                    acquired = time.monotonic()
                    try:
                        deadline = started + self._reset_timeout
                        return await self._reset(task, slot, on_unexpected_frame, deadline, failures)
                    except messages.ServerFull as full:
                        slot.refused(full.max_sessions)
        except TimeoutError:
            if failures:
                raise failures[-1] from None
            limit = f"within {self._reset_timeout:g} s"
            if slot is None or acquired - started > self._reset_timeout / 2:
                late = "" if slot is None else ", or freed one too late for the reset"
                server = self._connector.display_name
                raise ProviderUnavailable(f"the server at {server} had no free session {limit}{late}") from None
            raise TransportTimeout(f"the reset did not finish {limit}") from None

    async def close(self) -> None:
        """Close every session, whatever the server is doing."""
        await asyncio.gather(*(connection.wait_closed() for connection in self._connections))
        await self._connector.close()

    async def _reset(
        self,
        task: Task,
        slot: Slot,
        on_unexpected_frame: OnFailure | None,
        deadline: float,
        failures: list[Failure],
    ) -> tuple[Connection, messages.StepResult]:
        try:
            websocket = await self._connector.connect(deadline, failures)
            connection = Connection(websocket, slot.release, on_unexpected_frame)
        except BaseException:
            slot.release()
            raise
        self._connections.add(connection)
        connection.reader.add_done_callback(lambda _: self._connections.discard(connection))
        try:
            return connection, await connection.request(messages.reset(task.reset_arguments()))
        except BaseException:
            connection.close()
            raise
