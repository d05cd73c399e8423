"""An environment with one action, on the real package: a counter that must reach a goal.

A step adds ``by`` (1 to 5) times ``factor``. Its reward is 1 minus the distance to the goal, or null if the action is
``silent``. The episode is done at the goal. A step after the end would be rewarded again.
"""

from __future__ import annotations

from typing import Any, ClassVar

from fastapi import FastAPI
from openenv.core.env_server.http_server import HTTPEnvServer
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class Add(Action):
    """Adds to the counter."""

    by: int = Field(ge=1, le=5)
    factor: int = 1
    silent: bool = False


class Counter(Observation):
    count: int
    goal: int
    expected_answer: str = "the secret"
    note: str = ""
    picture: list[int] = Field(default_factory=list)


class CounterEnv(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True
    actions: ClassVar[list[dict[str, Any]]] = []  # of all episodes; a test plays one at a time
    resets: ClassVar[list[dict[str, Any]]] = []

    def __init__(self) -> None:
        super().__init__()
        self._count = self._goal = 0

    def reset(self, seed: int | None = None, episode_id: str | None = None, **arguments: Any) -> Counter:
        start, goal, how = arguments.get("start", 0), arguments.get("goal", 3), arguments.get("how")
        self.resets.append({"seed": seed, "start": start, "goal": goal})
        if how == "raises":
            raise RuntimeError("there is no data")
        self._count, self._goal = start, goal
        return self._observe(reward=100.0, done=how == "done")

    def step(self, action: Any, timeout_s: float | None = None, **_: Any) -> Counter:
        self.actions.append(action.model_dump())
        if action.by == 5:
            raise RuntimeError("five is too much")
        self._count += action.by * action.factor
        reward = None if action.silent else 1.0 - abs(self._goal - self._count)
        return self._observe(reward, done=self._count == self._goal)

    def _observe(self, reward: float | None, *, done: bool) -> Counter:
        return Counter(count=self._count, goal=self._goal, reward=reward, done=done, picture=[0] * 2000)

    @property
    def state(self) -> State:
        return State(episode_id=None, step_count=0)


app = FastAPI()
HTTPEnvServer(CounterEnv, Add, Counter, env_name="counter-v1", max_concurrent_envs=8).register_routes(app)


def row(**reset: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": {"by": {"type": "integer"}}, "required": ["by"]}
    tool = {"type": "function", "name": "step", "description": "", "parameters": parameters, "strict": False}
    return {
        "responses_create_params": {"input": [{"role": "user", "content": "Count."}], "tools": [tool]},
        "agent_ref": {"type": "responses_api_agents", "name": "counter_simple_agent"},
        "reset": reset,
        "task_id": "train-0",
    }
