"""A server that is briefly full, restarting or not there yet is waited for."""

from __future__ import annotations

import asyncio
import socket
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from aiohttp import web

from fake_env import Fake, row
from openenv_bridge import openenv
from openenv_bridge.openenv import _retry_after


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openenv, "PAUSES_S", (0.02, 0.05))


def refusals(count: int, status: int, **headers: str) -> Any:
    left = iter(range(count))
    return lambda: web.Response(status=status, headers=headers) if next(left, None) is not None else None


@pytest.mark.parametrize("status", [429, 502, 503, 504])
@pytest.mark.parametrize("headers", [{}, {"Retry-After": "0"}, {"Retry-After": "soon"}])
async def test_a_busy_server_is_waited_for(
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
    assert "tried again" in logged[0]


async def test_retry_after_is_kept_to(fakes: Any, play: Any, verdict: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = await fakes()
    fake.refuse = refusals(2, 503, **{"Retry-After": "1"})
    pauses: list[float] = []
    sleep = asyncio.sleep

    async def noted(seconds: float, *args: Any) -> None:
        pauses.append(seconds)
        await sleep(min(seconds, 0.01), *args)

    monkeypatch.setattr(openenv.asyncio, "sleep", noted)
    episode = await play(fake, connect_timeout=0.2, reset_timeout=3)  # longer than connect_timeout, as the server says
    assert (await verdict(episode))["mask_sample"] is False
    assert [round(pause, 3) for pause in pauses].count(1) == 2


@pytest.mark.parametrize("headers", [{}, {"Retry-After": "3600"}])
async def test_a_server_that_stays_busy_is_given_up_with_its_reason(
    fakes: Any, play: Any, verdict: Any, headers: dict[str, str]
) -> None:
    fake = await fakes()
    fake.refuse = refusals(10**6, 503, **headers)
    found = await verdict(await play(fake, connect_timeout=0.3))
    assert found["failure_kind"] == "transport_unreachable"
    assert "HTTP 503" in found["failure_reason"]
    assert (fake.handshakes == 1) == bool(headers)


async def test_retry_after_of_nothing_is_no_reason_to_hurry_or_to_wait_longer(
    fakes: Any, play: Any, verdict: Any
) -> None:
    fake = await fakes()
    fake.refuse = refusals(10**6, 503, **{"Retry-After": "0"})
    found = await verdict(await play(fake, connect_timeout=0.3, reset_timeout=3))
    assert found["failure_kind"] == "transport_unreachable"
    assert 1 < fake.handshakes < 40


@pytest.mark.parametrize("status", [401, 403, 404, 500])
async def test_another_refusal_masks_at_once(fakes: Any, play: Any, verdict: Any, status: int) -> None:
    fake = await fakes()
    fake.refuse = refusals(10**6, status)
    found = await verdict(await play(fake))
    assert f"HTTP {status}" in found["failure_reason"]
    assert fake.handshakes == 1


async def test_a_server_that_is_not_there_yet_is_waited_for(play: Any, verdict: Any) -> None:
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


async def test_a_server_that_is_never_there_is_given_up_within_the_reset_timeout(play: Any, verdict: Any) -> None:
    fake = Fake()
    fake.url = "http://127.0.0.1:9"
    found = await verdict(await play(fake, row(), reset_timeout=0.3))  # connect_timeout is 30 s
    assert found["failure_kind"] == "transport_unreachable"
    assert "ws://127.0.0.1:9/ws" in found["failure_reason"]


def test_retry_after_is_a_number_of_seconds_or_a_date() -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    past = format_datetime(datetime.now(UTC) - timedelta(seconds=100), usegmt=True)
    assert _retry_after({"Retry-After": " 7 "}) == 7
    assert 90 < (_retry_after({"Retry-After": soon}) or 0) <= 100
    assert _retry_after({"Retry-After": past}) == 0
    for nothing in ({}, None, {"Retry-After": ""}, {"Retry-After": "-1"}, {"Retry-After": "1e3"}):
        assert _retry_after(nothing) is None
