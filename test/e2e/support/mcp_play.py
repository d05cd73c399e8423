"""Plays a row on a running resources server as an agent with tools over MCP does, with the MCP project's own client.

Reads {"url", "row", "tool", "arguments"} from standard input, and prints {"tools": names, "text": the tool's output,
"reward"}.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import httpx
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

MESSAGE = {"id": "m", "type": "message", "role": "assistant", "status": "completed"}
SAID = {"type": "output_text", "text": "done", "annotations": []}
RESPONSE = {
    "id": "r",
    "created_at": 0,
    "model": "m",
    "object": "response",
    "output": [{**MESSAGE, "content": [SAID]}],
    "parallel_tool_calls": False,
    "tool_choice": "auto",
    "tools": [],
}


async def play(url: str, row: dict[str, Any], tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    async with httpx.AsyncClient(base_url=url, timeout=60) as http:
        seed = await http.post("/seed_session", json=row)
        access = seed.raise_for_status().json()["mcp"]
        async with (
            httpx.AsyncClient(headers=access["headers"], timeout=60) as client,
            streamable_http_client(url + access["url_path"], http_client=client) as (read, write, _),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            tools = [found.name for found in (await session.list_tools()).tools]
            called = await session.call_tool(tool, arguments)
        verify = await http.post("/verify", json={**row, "response": RESPONSE})
        reward = verify.raise_for_status().json()["reward"]
        return {"tools": tools, "text": getattr(called.content[0], "text", None), "reward": reward}


if __name__ == "__main__":
    json.dump(asyncio.run(play(**json.load(sys.stdin))), sys.stdout)
