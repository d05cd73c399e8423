"""An OpenEnv environment with several turns, on the real package, for the tests of turns and texts.

Task N of the split "train" plays the N-th item of TASKS: a list of turns, each with a prompt, a system prompt and
tools. The replies of all ``end_turn`` calls are collected in ``replies``. The episode has the reward 1 and two scores.
"""

from __future__ import annotations

from typing import Any

from openenv.core.env_server.http_server import HTTPEnvServer
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.mcp_types import (
    CallToolAction,
    CallToolObservation,
    ListToolsAction,
    ListToolsObservation,
    Tool,
    ToolError,
    ToolErrorType,
)
from openenv.core.env_server.types import Observation, State

END_TURN = {"name": "end_turn", "description": "End your turn.", "input_schema": {"type": "object"}}
ROLL = {"name": "roll.dice", "description": "Roll.", "input_schema": {"type": "object", "properties": {}}}
READ = {"name": "read", "description": "Read.", "input_schema": {"type": "object", "required": ["what"]}}

Turn = tuple[str, str | None, list[dict[str, Any]]]
TASKS: dict[str, list[Turn]] = {
    "one-turn": [("Say.", None, [READ, END_TURN])],
    "three-turns": [
        ("One.", "Be brief.", [READ, END_TURN]),
        ("Two.", "Be brief.", [READ, ROLL, END_TURN]),
        ("Three.", "Be terse.", [END_TURN]),
    ],
    "no-end-turn": [("Read.", None, [READ])],
    "endless": [("Again.", None, [END_TURN])] * 10_000,
    "refuses-lists": [("Say.", None, [])],
    "reports-no-task": [("Say.", None, [END_TURN])],
}
NAMES = list(TASKS)
RESULTS: dict[str, Any] = {
    "image": {"content": [{"type": "text", "text": "a"}, {"type": "image", "data": "=", "mimeType": "image/png"}]},
    "string": "plain",
    "json": {"n": [1, 2.0]},
    "big": {"content": [{"type": "text", "text": "x" * (20 * 2**20)}]},
}


class ScriptedEnv(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True
    replies: list[Any] = []  # of all episodes; a test plays one at a time  # noqa: RUF012
    calls: list[str] = []  # noqa: RUF012

    def __init__(self) -> None:
        super().__init__()
        self._turns: list[Turn] = []
        self._turn = 0
        self._name = ""

    def reset(self, seed: int | None = None, episode_id: str | None = None, **task: Any) -> Observation:
        self._name = NAMES[task["index"]]
        self._turns, self._turn = TASKS[self._name], 0
        prompt, system_prompt, _ = self._turns[0]
        played = {"id": f"@local/scripted/{self._name}", "split": task["split"], "index": task["index"]}
        reported = {} if self._name == "reports-no-task" else {"task": played}
        return Observation(metadata={"prompt": prompt, "system_prompt": system_prompt, **reported})

    def step(self, action: Any, timeout_s: float | None = None, **_: Any) -> Observation:
        if isinstance(action, ListToolsAction):
            if self._name == "refuses-lists":
                raise RuntimeError("unsupported action")
            return ListToolsObservation(tools=[Tool(**tool) for tool in self._turns[self._turn][2]])
        self.calls.append(action.tool_name)
        if action.tool_name == "end_turn":
            return self._end_turn(action)
        if action.tool_name == "read":
            return self._read(action)
        if action.tool_name == "roll.dice":
            return CallToolObservation(tool_name=action.tool_name, result="4")
        error = ToolError(error_type=ToolErrorType.TOOL_NOT_FOUND, message=f"there is no tool {action.tool_name!r}")
        return CallToolObservation(tool_name=action.tool_name, error=error)

    def _read(self, action: CallToolAction) -> Observation:
        what = action.arguments.get("what")
        if what == "reward":
            return CallToolObservation(tool_name="read", result="so far", reward=0.75)
        if what == "gone":
            error = ToolError(error_type=ToolErrorType.TRANSPORT_ERROR, message="connection refused")
            return CallToolObservation(tool_name="read", error=error)
        return CallToolObservation(tool_name="read", result=RESULTS.get(str(what), action.arguments))

    def _end_turn(self, action: CallToolAction) -> Observation:
        self.replies.append(action.arguments.get("response"))
        self._turn += 1
        if self._turn == len(self._turns):
            scores = {"style": 0.25, "facts": 0.75}
            return CallToolObservation(tool_name="end_turn", done=True, reward=1.0, metadata={"scores": scores})
        prompt, system_prompt, _ = self._turns[self._turn]
        return CallToolObservation(tool_name="end_turn", result={"prompt": prompt, "system_prompt": system_prompt})

    @property
    def state(self) -> State:
        return State(episode_id=None, step_count=0)


def app() -> Any:
    from fastapi import FastAPI

    served = FastAPI()
    server = HTTPEnvServer(
        ScriptedEnv, CallToolAction, CallToolObservation, max_concurrent_envs=64, reset_observation_cls=Observation
    )
    server.register_routes(served)
    return served


def row(name: str, **changes: Any) -> dict[str, Any]:
    """Return the row of a task, with the tools of all its turns."""
    tools = {tool["name"]: tool for _, _, turn in TASKS[name][:3] for tool in turn}
    shown = [
        {"type": "function", "name": t["name"], "description": "", "parameters": t["input_schema"], "strict": False}
        for t in tools.values()
    ]
    return {
        "responses_create_params": {"input": [{"role": "user", "content": TASKS[name][0][0]}], "tools": shown},
        "agent_ref": {"type": "responses_api_agents", "name": "scripted_simple_agent"},
        "split": "train",
        "index": NAMES.index(name),
        "task_id": f"@local/scripted/{name}",
        **changes,
    }
