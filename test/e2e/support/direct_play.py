"""Plays episodes with the real openenv client, without NeMo Gym: what the rewards of rollouts are compared with.

Reads {"url", "episodes": [{"split", "index", "moves": [{"call", "arguments"} | {"say"}]}]} from standard input and prints
one JSON document, a list of {"reward", "status", "tools"} in the same order: `tools` has one list a turn. Like the written
server, it takes a reply, and moves that run out, as the end of the turn, and turns that are left as ended with nothing.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

sys.modules.setdefault("gradio", None)  # type: ignore[arg-type]  # openenv goes without it, and starts 4 s sooner

from openenv.core.generic_client import GenericEnvClient

AT_ONCE = 4


async def play(url: str, episode: dict[str, Any]) -> dict[str, Any]:
    async with GenericEnvClient(base_url=url, message_timeout_s=120) as env:
        await env.reset(split=episode["split"], index=episode["index"])

        async def call(name: str, arguments: dict[str, Any]) -> Any:
            return await env.step({"type": "call_tool", "tool_name": name, "arguments": arguments})

        async def list_tools() -> Any:
            return (await env.step({"type": "list_tools"})).observation["tools"]

        turns = [await list_tools()]
        moves = [*episode["moves"]]
        result = None
        while result is None or not result.done:
            move = moves.pop(0) if moves else {"say": ""}
            reply = move.get("say")
            name = "end_turn" if reply is not None else move["call"]
            result = await call(name, move["arguments"] if reply is None else {"response": reply})
            if reply is not None:
                moves = []
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
