"""Tools over MCP, with ``expose_tools_over_mcp``."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import openenv_bridge.server
from faulty_tasks import expected_reward
from gymclient import SCHEDULE, Answer, Episode
from openenv_bridge.endpoint import ConfigError
from openenv_bridge.mcp_tools import MCPTools
from serving import Clients, Served, bridge, row

ACCEPT = {"Accept": "application/json, text/event-stream"}


def toolset(tools: list[dict[str, Any]], **task: Any) -> dict[str, Any]:
    return {"key": "agent:trader", "tasks": [task], "turns": [[tool["name"] for tool in tools]], "tools": tools}


@pytest.fixture
def toolsets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    tools = row()["responses_create_params"]["tools"]
    other = {**tools[0], "name": "other", "parameters": {"type": "object", "properties": {}}}
    written = {
        "format": 1,
        "toolsets": [toolset(tools, split="train", index=0), toolset([other], split="eval", index=1)],
    }
    (tmp_path / "toolsets.json").write_text(json.dumps(written))
    monkeypatch.setattr(openenv_bridge.server, "FOLDER", tmp_path)
    return tmp_path / "toolsets.json"


@pytest.fixture
async def episode(toolsets: Path, faulty: Served, bridges: Callable[..., Served], clients: Clients) -> Episode:
    return Episode(await clients(bridges(faulty.url, expose_tools_over_mcp=True)), row())


async def rpc(episode: Episode, seed: Answer, method: str, **params: Any) -> Any:
    access = seed.json()["mcp"]
    headers = {**ACCEPT, **access["headers"]}
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    url = episode.client.base_url + access["url_path"]
    async with episode.client._session.post(url, json=body, headers=headers) as response:
        return (await response.json())["result"]


async def test_a_session_lists_the_tools_of_its_row(episode: Episode) -> None:
    listed = (await rpc(episode, await episode.seed(), "tools/list"))["tools"]
    shown = episode.row["responses_create_params"]["tools"]
    assert [(t["name"], t["description"], t["inputSchema"]) for t in listed] == [
        (t["name"], t["description"], t["parameters"]) for t in shown
    ]


async def test_a_typed_session_gets_its_id_beside_the_access_to_mcp(episode: Episode) -> None:
    """Gym adds the access to what the seed returns, which must be the model and not a finished response."""
    body = {
        "resources_session_id": "a-session",
        "episode_id": {"rollout_id": "r-1", "attempt": 0},
        "task_id": {"taskset": "t", "task_id": "0"},
        "task_data": {key: value for key, value in episode.row.items() if key != "responses_create_params"},
    }
    seed = (await episode.client.post("/seed_session", json.dumps(body).encode(), {})).json()
    assert (seed["resources_session_id"], "status_code" in seed) == ("a-session", False)
    assert seed["resources_tools"]["headers"]


async def test_a_rollout_is_played_over_mcp(episode: Episode) -> None:
    seed = await episode.seed()
    called = await rpc(episode, seed, "tools/call", name="submit_schedule", arguments={"schedule": SCHEDULE})
    assert called["content"][0]["text"] == "accepted"
    assert not called.get("isError")
    verdict = (await episode.verify()).json()
    assert verdict["reward"] == expected_reward(episode.row, {"schedule": SCHEDULE})


async def test_a_tool_of_another_toolset_cannot_be_called(episode: Episode) -> None:
    assert (await rpc(episode, await episode.seed(), "tools/call", name="other", arguments={}))["isError"]


async def test_equal_parallel_calls_are_two_calls(episode: Episode) -> None:
    seed = await episode.seed()
    started = asyncio.get_running_loop().time()
    wait = {"name": "wait", "arguments": {"seconds": 0.3}}
    await asyncio.gather(*(rpc(episode, seed, "tools/call", **wait) for _ in range(2)))
    assert asyncio.get_running_loop().time() - started >= 0.6


def test_a_typed_session_has_the_toolset_of_its_task(toolsets: Path) -> None:
    known = MCPTools(toolsets)
    assert known.names_for_row({"split": "eval", "index": 1}) == ["other"]
    assert known.names_for_row({"split": "eval", "index": 2}) is None
    assert known.names_for_row({}) is None


def test_a_tool_with_two_schemas_accepts_any_object(toolsets: Path) -> None:
    written = json.loads(toolsets.read_text())
    written["toolsets"][1]["tools"][0]["name"] = "wait"
    toolsets.write_text(json.dumps(written))
    (wait,) = [tool for tool in MCPTools(toolsets).all_tools() if tool["name"] == "wait"]
    assert wait["parameters"] == {"type": "object", "additionalProperties": True}


@pytest.mark.parametrize("content", [None, "", "{}", '{"toolsets": [1]}'])
def test_without_toolsets_the_server_does_not_start(toolsets: Path, content: str | None) -> None:
    toolsets.unlink() if content is None else toolsets.write_text(content)
    with pytest.raises(ConfigError, match=r"expose_tools_over_mcp needs .*toolsets\.json"):
        bridge("http://h:1", expose_tools_over_mcp=True)
