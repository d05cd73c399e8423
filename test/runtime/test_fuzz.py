"""Random rollouts: calls, repeats, parallel calls, clients that give up, and an environment that fails in many ways.

Every unmasked reward equals the reward of the answered calls in order, each call runs once, every rollout whose
environment does not fail is scored, and no session stays open. The random seeds are fixed.
"""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any

import pytest

from fake_env import Session, error, name_of, observation, row
from gymclient import Episode, GymClient, response
from serving import wait_until

EPISODES = 60
AT_ONCE = 12
PRIME = 1_000_003


def next_state(state: int, what: str) -> int:
    """Return the next state of the environment, which depends on all calls and their order."""
    for letter in what:
        state = (state * 131 + ord(letter)) % PRIME
    return state


class Chained:
    """Task N starts with state N, each call changes the state, and the final state is the reward."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.state: dict[Session, int] = {}
        self.luck: dict[Session, random.Random] = {}

    def has_no_faults(self, index: int) -> bool:
        return random.Random(f"sound-{self.seed}-{index}").random() < 0.5

    async def __call__(self, request: Any, session: Session) -> Any:
        name = name_of(request)
        if name == "reset":
            index = request["data"]["index"]
            self.state[session], self.luck[session] = index, random.Random(f"{self.seed}-{index}")
        luck = self.luck[session]
        await asyncio.sleep(luck.choice([0, 0, 0.002, 0.02]))
        faults = ["raises", "status", "hangs", "closes", "aborts"] if not self.has_no_faults(session.index) else []
        fault = luck.choice(faults) if faults and name != "list_tools" and luck.random() < 0.15 else None
        if fault and (name != "reset" or session.index):
            return await self.fail(fault, session)
        if name in ("reset", "list_tools"):
            return None
        if name == "end_turn":
            return observation({"tool_name": name}, done=True, reward=self.state[session] / PRIME)
        session.calls += 1
        self.state[session] = next_state(self.state[session], json.dumps(request["data"]["arguments"]))
        shown = f"n={session.calls} s={self.state[session]}"
        return observation({"tool_name": name, "result": shown, "error": None})

    async def fail(self, fault: str, session: Session) -> Any:
        if fault == "raises":
            return error("EXECUTION_ERROR", "raised")
        if fault == "status":
            return observation({}, done=True, metadata={"status": "error", "error": "sandbox"})
        if fault == "hangs":
            await asyncio.sleep(3)
            return False
        if fault == "closes":
            await session.socket.close(code=1011)
        elif session.transport is not None:
            session.transport.abort()
        return False


class Rollout:
    def __init__(self, client: GymClient, index: int, luck: random.Random) -> None:
        self.episode = Episode(client, row(index))
        self.index, self.luck = index, luck
        self.read: list[str] = []
        self.modes: list[str] = []

    async def post(self, body: bytes, cookies: dict[str, str]) -> str:
        answer = await self.episode.client.post("/act", body, cookies)
        assert answer.status == 200, (self.index, self.modes, answer)
        return answer.text

    async def give_up(self, path: str, body: bytes) -> None:
        """Post, and disconnect before the response arrives, or just when it arrives."""
        task = asyncio.create_task(self.episode.client.post(path, body, dict(self.episode.cookies)))
        await asyncio.sleep(self.luck.choice([0, 0.001, 0.01, 0.03]))
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    async def call(self) -> None:
        mode = self.luck.choice(
            ["once", "once", "posted again", "twice in parallel", "in parallel", "given up", "older"]
        )
        body, before = b'{"a": %d}' % self.luck.choice([1, 1, 2, 3]), dict(self.episode.cookies)
        self.modes.append(mode)
        if mode == "in parallel":
            bodies = [b'{"b": %d}' % n for n in range(self.luck.choice([2, 3]))]
            jars = [dict(before) for _ in bodies]
            self.read += await asyncio.gather(*(self.post(b, jar) for b, jar in zip(bodies, jars, strict=True)))
            self.episode.cookies = self.luck.choice(jars)
            return
        if mode == "twice in parallel":
            texts = await asyncio.gather(self.post(body, dict(before)), self.post(body, self.episode.cookies))
        elif mode == "given up":
            await self.give_up("/act", body)
            texts = [await self.post(body, self.episode.cookies)]
        elif mode == "older":  # a new call, with a cookie that is older than the last response
            texts = [await self.post(b'{"c": %d}' % len(self.modes), self.episode.cookies)]
            self.episode.cookies |= before if len(self.modes) % 2 else {}
        else:
            texts = [await self.post(body, self.episode.cookies)]
            if mode == "posted again":
                texts.append(await self.post(body, dict(before)))
        assert len(set(texts)) == 1, (self.index, self.modes, texts)
        self.read.append(texts[0])

    async def play(self) -> dict[str, Any]:
        assert (await self.episode.seed()).ok
        for _ in range(self.luck.randrange(6)):
            await self.call()
        if self.luck.random() < 0.2:
            body = json.dumps(self.episode.row | {"response": response([])}).encode()
            await self.give_up("/verify", body)
        answers = [await self.episode.verify() for _ in range(self.luck.choice([1, 1, 2]))]
        assert all(answer.ok and answer.text == answers[0].text for answer in answers)
        return answers[0].json()

    def expected_reward(self) -> float:
        """Return the reward that follows from the responses. Each call ran exactly once."""
        ran = [text for text in self.read if text.startswith("n=")]
        numbers = sorted(int(text[2:].split()[0]) for text in ran)
        assert numbers == list(range(1, len(ran) + 1)), (self.index, self.modes, self.read)
        last = max(ran, key=lambda text: int(text[2:].split()[0]), default=f"s={self.index}")
        return int(last.split("s=")[1]) / PRIME


@pytest.mark.parametrize("seed", [1, 2])
async def test_every_unmasked_reward_is_exact(fakes: Any, bridges: Any, clients: Any, seed: int) -> None:
    chained = Chained(seed)
    fake = await fakes(chained, max_sessions=8)
    client = await clients(bridges(fake.url, tool_timeout=1.5, reset_timeout=20))
    turns = asyncio.Semaphore(AT_ONCE)
    masked: list[int] = []

    async def one(index: int) -> None:
        rollout = Rollout(client, index, random.Random(f"{seed}-{index}"))
        async with turns:
            verdict = await rollout.play()
        if verdict["mask_sample"]:
            assert not chained.has_no_faults(index), (seed, index, verdict["failure_reason"])
            masked.append(index)
        else:
            assert verdict["reward"] == pytest.approx(rollout.expected_reward(), abs=1e-9), (seed, index, rollout.modes)

    await asyncio.gather(*(one(index) for index in range(EPISODES)))
    assert 0 < len(masked) < EPISODES
    await asyncio.to_thread(wait_until, lambda: fake.open == 0, 30)
