"""Plays episodes with the real openenv client, without NeMo Gym. The rewards of rollouts are compared with these.

Reads {"url", "episodes": [{"split", "index", "moves": [{"call", "arguments"} | {"say"}]}]} from standard input, and
prints a list of {"reward", "status", "tools"} in the same order, with one list of tools a turn.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from openenv.core.generic_client import GenericEnvClient

AT_ONCE = 4


Call = tuple[str, dict[str, Any]]
NO_REPLY: Call = ("end_turn", {"response": ""})


def calls_of(moves: list[dict[str, Any]]) -> list[Call]:
    """The tool calls of some moves. As on the written server, a reply ends the turn, and later moves are ignored."""
    calls: list[Call] = []
    for move in moves:
        if "say" in move:
            return [*calls, ("end_turn", {"response": move["say"]})]
        calls.append((move["call"], move["arguments"]))
    return calls


async def play(url: str, episode: dict[str, Any]) -> dict[str, Any]:
    async with GenericEnvClient(base_url=url, message_timeout_s=120) as env:
        await env.reset(split=episode["split"], index=episode["index"])

        async def list_tools() -> Any:
            return (await env.step({"type": "list_tools"})).observation["tools"]

        turns = [await list_tools()]
        calls = iter(calls_of(episode["moves"]))
        result = None
        while result is None or not result.done:
            name, arguments = next(calls, NO_REPLY)
            result = await env.step({"type": "call_tool", "tool_name": name, "arguments": arguments})
            if name == "end_turn" and not result.done:
                turns.append(await list_tools())
        metadata = result.metadata or {}
        return {"reward": result.reward, "status": metadata.get("status"), "tools": turns}


async def main() -> None:
    asked = json.load(sys.stdin)
    places = asyncio.Semaphore(AT_ONCE)

    async def in_turn(episode: dict[str, Any]) -> dict[str, Any]:
        async with places:
            return await play(asked["url"], episode)

    json.dump(await asyncio.gather(*map(in_turn, asked["episodes"])), sys.stdout)


if __name__ == "__main__":
    asyncio.run(main())
