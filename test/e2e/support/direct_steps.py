"""Plays episodes of an environment that lists no tasks with the real openenv client, without NeMo Gym.

Reads {"url", "interface": "tools" | "action", "episodes": [{"reset", "moves": [{"call", "arguments"} | {"say"}]}]} from
standard input and prints one JSON document: for each episode, the reward of each step. The first `done` ends an
episode, and a reply ends its moves. An action that the environment refuses is left out.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from openenv.core.generic_client import GenericEnvClient


async def play(url: str, interface: str, episode: dict[str, Any]) -> list[float | None]:
    rewards: list[float | None] = []
    async with GenericEnvClient(base_url=url, message_timeout_s=120) as env:
        await env.reset(**episode["reset"])
        for move in episode["moves"]:
            if "say" in move:
                break
            arguments = move["arguments"]
            action = {"type": "call_tool", "tool_name": move["call"], "arguments": arguments}
            try:
                result = await env.step(arguments if interface == "action" else action)
            except RuntimeError:  # an error frame
                continue
            rewards.append(result.reward)
            if result.done:
                break
    return rewards


async def main() -> None:
    asked = json.load(sys.stdin)
    played = [await play(asked["url"], asked["interface"], episode) for episode in asked["episodes"]]
    json.dump(played, sys.stdout)


if __name__ == "__main__":
    asyncio.run(main())
