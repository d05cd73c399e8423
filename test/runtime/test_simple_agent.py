"""NeMo Gym's own simple_agent, with a model that calls ``seed_session`` to play a task other than its row's."""

from __future__ import annotations

import json
from typing import Any
from unittest.mock import MagicMock

import aiohttp
import pytest
from fastapi import FastAPI, Request
from nemo_gym.server_utils import ServerClient
from pydantic import BaseModel
from responses_api_agents.simple_agent.app import SimpleAgent, SimpleAgentConfig

from fake_env import row
from serving import serve
from test_model_routes import SEEDS, worth


def model_app(calls: list[tuple[str, Any]]) -> FastAPI:
    """A model that makes ``calls`` one after the other, and then ends."""
    app = FastAPI()

    @app.post("/v1/responses")
    async def respond(request: Request) -> dict[str, Any]:
        items = (await request.json())["input"]
        step = sum(item.get("type") == "function_call_output" for item in items)
        if step < len(calls):
            name, arguments = calls[step]
            item: dict[str, Any] = {"type": "function_call", "call_id": f"c{step}", "name": name}
            item["arguments"] = json.dumps(arguments)
        else:
            content = {"type": "output_text", "text": "done", "annotations": []}
            item = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [content]}
        whole = {"id": "r", "created_at": 0, "model": "m", "object": "response", "output": [item]}
        return {**whole, "parallel_tool_calls": False, "tool_choice": "auto", "tools": []}

    return app


def direct(urls: dict[str, str]) -> Any:
    """Gym's client of its servers, without a head server. It belongs to the agent's event loop."""
    sessions: list[aiohttp.ClientSession] = []

    async def post(server_name: str, url_path: str, json: Any = None, cookies: Any = None, **_: Any) -> Any:
        if not sessions:
            sessions.append(aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()))
        body = json.model_dump(exclude_unset=True) if isinstance(json, BaseModel) else json
        return await sessions[0].post(urls[server_name] + url_path, json=body, cookies=cookies)

    client = MagicMock(spec=ServerClient)
    client.post = post
    client.global_config_dict = {}
    return client


@pytest.mark.parametrize("seed", SEEDS.values(), ids=SEEDS)
async def test_the_rows_own_task_is_scored(fakes: Any, bridges: Any, clients: Any, seed: Any) -> None:
    fake = await fakes(worth)
    urls = {"bridge": bridges(fake.url).url}
    config = SimpleAgentConfig.model_validate(
        {
            "host": "127.0.0.1",
            "port": 1,
            "entrypoint": "app.py",
            "name": "agent",
            "resources_server": {"type": "resources_servers", "name": "bridge"},
            "model_server": {"type": "responses_api_models", "name": "model"},
        }
    )
    agent = SimpleAgent(config=config, server_client=direct(urls))
    calls = [("seed_session", seed), ("act", {"a": 1})]
    with serve(model_app(calls)) as model, serve(agent.setup_webserver()) as served:
        urls |= {"model": model.url, "agent": served.url}
        answer = await (await clients(served)).post("/run", json.dumps(row(3)).encode(), {})
        assert answer.ok, answer
        found = answer.json()
    outputs = [item["output"] for item in found["response"]["output"] if item["type"] == "function_call_output"]
    assert "No episode was started" in outputs[0]
    assert outputs[1] == "ok 1"
    assert (found["index"], found["reward"], found["mask_sample"]) == (3, 0, False)
    assert [request["data"]["index"] for request in fake.requests if request["type"] == "reset"] == [3]
