"""Retries while the server is full, restarting or not yet running."""

from __future__ import annotations

import asyncio
import socket
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from aiohttp import web

from fake_env import Fake, row
from openenv_bridge import connector
from openenv_bridge.connector import retry_after


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connector, "RETRY_PAUSES_S", (0.02, 0.05))


def refusals(count: int, status: int, **headers: str) -> Any:
    left = iter(range(count))
    return lambda: web.Response(status=status, headers=headers) if next(left, None) is not None else None


@pytest.mark.parametrize("status", [429, 502, 503, 504])
@pytest.mark.parametrize("headers", [{}, {"Retry-After": "0"}, {"Retry-After": "soon"}])
async def test_a_busy_server_is_retried(
    fakes: Any, play: Any, verdict: Any, status: int, headers: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    fake = await fakes()
    fake.refuse = refusals(3, status, **headers)
    episodes = [await play(fake), await play(fake)]
    for episode in episodes:
        assert (await verdict(episode))["mask_sample"] is False
    assert fake.handshakes == 5
    logged = [r.getMessage() for r in caplog.records if f"HTTP {status}" in r.getMessage()]
    assert logged
    assert "retrying" in logged[0]


async def test_retry_after_is_respected(fakes: Any, play: Any, verdict: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = await fakes()
    fake.refuse = refusals(2, 503, **{"Retry-After": "1"})
    pauses: list[float] = []
    sleep = asyncio.sleep

    async def recorded(seconds: float, *args: Any) -> None:
        pauses.append(seconds)
        await sleep(min(seconds, 0.01), *args)

    monkeypatch.setattr(connector.asyncio, "sleep", recorded)
    episode = await play(fake, connect_timeout=0.2, reset_timeout=3)  # Retry-After exceeds connect_timeout
    assert (await verdict(episode))["mask_sample"] is False
    assert [round(pause, 3) for pause in pauses].count(1) == 2


@pytest.mark.parametrize("headers", [{}, {"Retry-After": "3600"}])
async def test_a_server_that_stays_busy_masks_with_its_status(
    fakes: Any, play: Any, verdict: Any, headers: dict[str, str]
) -> None:
    fake = await fakes()
    fake.refuse = refusals(10**6, 503, **headers)
    found = await verdict(await play(fake, connect_timeout=0.3))
    assert found["failure_kind"] == "transport_unreachable"
    assert "HTTP 503" in found["failure_reason"]
    assert (fake.handshakes == 1) == bool(headers)


async def test_retry_after_0_means_the_same_as_no_header(fakes: Any, play: Any, verdict: Any) -> None:
    fake = await fakes()
    fake.refuse = refusals(10**6, 503, **{"Retry-After": "0"})
    found = await verdict(await play(fake, connect_timeout=0.3, reset_timeout=3))
    assert found["failure_kind"] == "transport_unreachable"
    assert 1 < fake.handshakes < 40


@pytest.mark.parametrize("status", [401, 403, 404, 500])
async def test_other_statuses_mask_at_once(fakes: Any, play: Any, verdict: Any, status: int) -> None:
    fake = await fakes()
    fake.refuse = refusals(10**6, status)
    found = await verdict(await play(fake))
    assert f"HTTP {status}" in found["failure_reason"]
    assert fake.handshakes == 1


async def test_a_server_that_is_not_running_yet_is_retried(play: Any, verdict: Any) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    fake = Fake()
    fake.url = f"http://127.0.0.1:{port}"
    episode = await play(fake)
    call = asyncio.create_task(episode.tool("act", {}))
    await asyncio.sleep(0.2)
    assert not call.done()
    await fake.start(port)
    assert (await call).text == "ok 1"
    assert (await verdict(episode))["mask_sample"] is False
    await fake.stop()


async def test_retries_end_with_the_reset_timeout(play: Any, verdict: Any) -> None:
    fake = Fake()
    fake.url = "http://127.0.0.1:9"
    found = await verdict(await play(fake, row(), reset_timeout=0.3))  # connect_timeout is 30 s by default
    assert found["failure_kind"] == "transport_unreachable"
    assert "ws://127.0.0.1:9/ws" in found["failure_reason"]


def test_retry_after_is_a_number_of_seconds_or_a_date() -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    past = format_datetime(datetime.now(UTC) - timedelta(seconds=100), usegmt=True)
    assert retry_after({"Retry-After": " 7 "}) == 7
    assert 90 < (retry_after({"Retry-After": soon}) or 0) <= 100
    assert retry_after({"Retry-After": past}) == 0
    for nothing in ({}, None, {"Retry-After": ""}, {"Retry-After": "-1"}, {"Retry-After": "1e3"}):
        assert retry_after(nothing) is None
