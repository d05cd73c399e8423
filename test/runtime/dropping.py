"""A network between Gym's client and a resources server, that breaks connections when it is told to."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from urllib.parse import urlsplit


class Dropping:
    """Forwards every connection. ``before_answer`` more requests are passed on, and their answers dropped."""

    def __init__(self, url: str) -> None:
        target = urlsplit(url)
        self._target = (str(target.hostname), int(target.port or 0))
        self.url = ""
        self.before_answer = 0
        self.dropped = 0
        self._open: set[asyncio.StreamWriter] = set()

    def cut(self) -> None:
        """Break the client's side of every connection there is."""
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
        there, to_there = await asyncio.open_connection(*self._target)
        self._open.add(writer)
        both = [asyncio.create_task(_copy(reader, to_there)), asyncio.create_task(self._answers(there, writer))]
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        for task in both:
            task.cancel()
        to_there.close()
        writer.close()
        self._open.discard(writer)

    async def _answers(self, there: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await there.read(65536):
            if self.before_answer:
                self.before_answer -= 1
                self.dropped += 1
                return
            writer.write(data)
            await writer.drain()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
