"""A TCP proxy between Gym's client and a resources server that breaks connections on request."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from urllib.parse import urlsplit


class Dropping:
    """Forwards every connection. The next ``drop_responses`` responses are dropped."""

    def __init__(self, url: str) -> None:
        target = urlsplit(url)
        self._target = (str(target.hostname), int(target.port or 0))
        self.url = ""
        self.drop_responses = 0
        self.dropped = 0
        self._open: set[asyncio.StreamWriter] = set()

    def abort(self) -> None:
        """Break the client's side of every open connection."""
        for writer in self._open:
            writer.transport.abort()

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[Dropping]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        try:
            yield self
        finally:
            server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server_reader, server_writer = await asyncio.open_connection(*self._target)
        self._open.add(writer)
        both = [
            asyncio.create_task(_copy(reader, server_writer)),
            asyncio.create_task(self._copy_responses(server_reader, writer)),
        ]
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        for task in both:
            task.cancel()
        server_writer.close()
        writer.close()
        self._open.discard(writer)

    async def _copy_responses(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            if self.drop_responses:
                self.drop_responses -= 1
                self.dropped += 1
                return
            writer.write(data)
            await writer.drain()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
