"""Tests of the bridge against the real ``openenv`` package, over real sockets. Each server runs in a thread."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
for folder in ("templates/server", "bench/server", "test/runtime"):
    sys.path.insert(0, str(ROOT / folder))

from fake_env import Fake, Script, row  # noqa: E402
from faulty_server import build_app as faulty_app  # noqa: E402
from gymclient import Control, Episode, GymClient  # noqa: E402
from serving import Served, bridge_app, serve  # noqa: E402


@pytest.fixture(scope="session")
def _faulty() -> Iterator[Served]:
    with serve(faulty_app(capacity=1024)) as served:
        yield served


@pytest.fixture
async def faulty(_faulty: Served) -> AsyncIterator[Served]:
    """The server of bench/server, whose tasks fail on purpose. Its settings are restored after each test."""
    control = Control(_faulty.url)
    await control.set(slow_s=0.3, never_s=60.0)
    yield _faulty
    await control.set(fault=None, refuse=False, capacity=1024)
    await control.release()


@pytest.fixture
def bridges() -> Iterator[Callable[..., Served]]:
    """Starts resources servers, with the middlewares that ``run_webserver`` adds."""
    running: list[Any] = []

    def start(url: str, **config: Any) -> Served:
        context = serve(bridge_app(url, **config))
        running.append(context)
        return context.__enter__()

    yield start
    for context in reversed(running):
        context.__exit__(None, None, None)


@pytest.fixture
async def clients() -> AsyncIterator[Callable[[Served], Any]]:
    """Gym's HTTP clients."""
    open_clients: list[GymClient] = []

    async def connect(bridge: Served) -> GymClient:
        client = GymClient(bridge.url, cap_s=30.0)
        await client.__aenter__()
        open_clients.append(client)
        return client

    yield connect
    for client in open_clients:
        await client.__aexit__()


@pytest.fixture
async def fakes() -> AsyncIterator[Callable[..., Any]]:
    """Starts scripted OpenEnv servers."""
    running: list[Fake] = []

    async def start(script: Script | None = None, **settings: Any) -> Fake:
        running.append(await Fake(script, **settings).start())
        return running[-1]

    yield start
    for fake in running:
        await fake.stop()


@pytest.fixture
async def play(bridges: Callable[..., Served], clients: Callable[[Served], Any]) -> Callable[..., Any]:
    """Seeds rollouts on a resources server for a scripted OpenEnv server, with short time limits."""
    served: dict[Fake, Any] = {}

    async def start(fake: Fake, task: dict[str, Any] | None = None, **config: Any) -> Episode:
        if fake not in served:
            served[fake] = await clients(bridges(fake.url, **{"tool_timeout": 3, "reset_timeout": 3, **config}))
        episode = Episode(served[fake], task or row())
        answer = await episode.seed()
        assert answer.ok, answer
        return episode

    return start


@pytest.fixture
def verdict() -> Callable[[Episode], Any]:
    async def verify(episode: Episode) -> dict[str, Any]:
        answer = await episode.verify()
        assert answer.ok, answer
        return answer.json()

    return verify
