"""A url without a server, or with a server of another environment."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from fake_env import Fake, row
from serving import wait_until

MINE = "shop-v1"
OTHER = [{"/list_environments": ["games-v2"]}, {"/metadata": {"name": "GamesEnvironment"}}]
SAME = [
    {"/list_environments": [MINE], "/metadata": {"name": "ShopEnvironment"}},
    {"/metadata": {"name": MINE}},
    {"/list_environments": {"detail": "?"}, "/metadata": ["?"]},
    {"/metadata": {"name": 7}},
]


def warnings(caplog: pytest.LogCaptureFixture, text: str) -> list[str]:
    return [message for record in caplog.records if text in (message := record.getMessage())]


async def asked(fake: Fake, *paths: str) -> None:
    """Wait until the resources server has asked for the last of ``paths``."""
    while not all(path in fake.asked for path in paths):
        await asyncio.sleep(0.01)
    await asyncio.sleep(0)


async def test_a_dead_url_is_one_warning_at_startup(bridges: Any, caplog: pytest.LogCaptureFixture) -> None:
    bridges("http://127.0.0.1:1", environment=MINE)
    await asyncio.to_thread(wait_until, lambda: warnings(caplog, "can't connect"))
    (warning,) = warnings(caplog, "can't connect")
    assert warning.startswith("can't connect to ws://127.0.0.1:1/ws: ")
    assert warning.endswith("; rollouts are masked until it answers")


@pytest.mark.parametrize("pages", OTHER)
async def test_another_environment_is_one_warning_and_part_of_the_reason_of_each_mask(
    fakes: Any, play: Any, verdict: Any, caplog: pytest.LogCaptureFixture, pages: dict[str, Any]
) -> None:
    fake = await fakes()
    fake.pages = pages
    first = await play(fake, environment=MINE)
    await asyncio.to_thread(wait_until, lambda: warnings(caplog, "start the right server"))
    assert (await verdict(first))["mask_sample"] is False  # a copy may have another name
    for index in (1, 2):
        other = {**row(index), "responses_create_params": {"input": [], "tools": []}}
        found = await verdict(await play(fake, other))
        assert found["failure_kind"] == "openenv:wrong_tools"
        assert found["failure_reason"].endswith(f"instead of '{MINE}')")
    assert len(warnings(caplog, "start the right server")) == 1


@pytest.mark.parametrize("pages", SAME)
async def test_the_same_name_or_none_is_no_warning(
    fakes: Any, play: Any, verdict: Any, caplog: pytest.LogCaptureFixture, pages: dict[str, Any]
) -> None:
    fake = await fakes()
    fake.pages = pages
    episode = await play(fake, environment=MINE)
    await asked(fake, "/list_environments", *([] if pages.get("/list_environments") == [MINE] else ["/metadata"]))
    assert (await verdict(episode))["mask_sample"] is False
    assert warnings(caplog, "instead of") == []


async def test_the_default_name_of_a_class_is_compared_as_gymgen_writes_it(
    fakes: Any, play: Any, verdict: Any, caplog: pytest.LogCaptureFixture
) -> None:
    fake = await fakes()
    fake.pages = {"/metadata": {"name": "MazeEnvironment"}}
    episode = await play(fake, environment="Maze-Environment")
    await asked(fake, "/metadata")
    assert (await verdict(episode))["mask_sample"] is False
    assert warnings(caplog, "instead of") == []
