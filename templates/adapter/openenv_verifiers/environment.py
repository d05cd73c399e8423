"""A verifiers environment (the API of verifiers 0.3.1) that plays each rollout as one episode of an OpenEnv server."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from typing import Any

import verifiers.legacy as vf
from datasets import Dataset
from verifiers.legacy.types import AssistantMessage, Messages, State, Tool, ToolCall, ToolMessage

from openenv_bridge.action_environment import ActionEnvironment
from openenv_bridge.client import OpenEnvClient
from openenv_bridge.config import OpenEnvConfig
from openenv_bridge.episode import Episode
from openenv_bridge.row import Task
from openenv_bridge.tool_calls import argument_error
from openenv_bridge.tool_environment import ToolEnvironment

logger = logging.getLogger(__name__)

# Keys of the episode and of its reward in the rollout's state.
EPISODE, REWARD = "openenv_episode", "openenv_reward"
# What NeMo Gym's config class requires, and the bridge never reads.
UNUSED = {"name": "openenv", "host": "127.0.0.1", "port": 0, "entrypoint": "app.py", "domain": "agent"}
# verifiers requires a dataset. The agent does not read it: its rows come from the job's JSONL files.
NO_ROWS = [{"prompt": [{"role": "user", "content": ""}], "info": {}}]


class Server:
    """A written server: its settings, and the client of its OpenEnv server."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        own = dict(settings)
        self.max_steps: int | None = own.pop("max_steps", None)
        self.config = OpenEnvConfig.model_validate({**UNUSED, **own})
        self._client = OpenEnvClient(self.config, os.environ)

    def start_episode(self, task: Task) -> Episode:
        """Start the reset, which runs while the model writes its first reply."""
        environment_class = ActionEnvironment if self.config.interface == "action" else ToolEnvironment
        return Episode(task, environment_class(task, self._client, self.config))


async def reward(state: State) -> float:
    """Return the score of the episode; 0 if the environment failed."""
    return float(state.get(REWARD, 0.0))


class OpenEnvTasks(vf.MultiTurnEnv):
    """Plays the tasks of the servers, which rows name in ``info``.

    ``info`` has ``server``, the task (``split`` and ``index``, or ``reset``, and ``task_id``) and its ``tools``.
    """

    def __init__(self, servers: Mapping[str, Mapping[str, Any]], **kwargs: Any) -> None:
        self._servers = {name: Server(settings) for name, settings in servers.items()}
        super().__init__(dataset=Dataset.from_list(NO_ROWS), rubric=vf.Rubric(funcs=[reward]), **kwargs)

    async def setup_state(self, state: State) -> State:
        info = state["info"]
        server = self._servers[info["server"]]
        tools = info["tools"]
        task = Task.from_row({**info, "responses_create_params": {"tools": tools}})
        state[EPISODE] = server.start_episode(task)
        state["openenv_max_steps"] = server.max_steps
        state["tool_defs"] = [
            Tool(
                name=tool["name"],
                description=tool.get("description") or "",
                parameters=tool["parameters"],
                strict=tool.get("strict"),
            )
            for tool in tools
        ]
        return state

    async def env_response(self, messages: Messages, state: State, **kwargs: Any) -> Messages:
        """Run the calls of the model's last message, in order."""
        last = messages[-1]
        calls = (last.tool_calls or []) if isinstance(last, AssistantMessage) else []
        answers: Messages = [await self._call(call, state[EPISODE]) for call in calls]
        if state[EPISODE].verdict is not None:
            state["final_env_response"] = answers  # ends the rollout
        return answers

    @staticmethod
    async def _call(call: ToolCall, episode: Episode) -> ToolMessage:
        arguments = call.arguments.encode("utf-8", "replace") or b"null"
        text = argument_error(arguments) or await episode.call(call.name, arguments, once=False)
        return ToolMessage(tool_call_id=call.id, content=text)

    @vf.stop
    async def model_is_done(self, state: State) -> bool:
        """Whether the last message calls no tool, which ends the turn and the rollout, as with Gym's simple_agent."""
        last = last_message(state)
        return last is not None and not last.tool_calls

    @vf.stop
    async def max_steps_reached(self, state: State) -> bool:
        limit = state["openenv_max_steps"]
        return limit is not None and len(state["trajectory"]) >= limit

    @vf.cleanup
    async def end_episode(self, state: State) -> None:
        """End and score the episode. verifiers calls this before the rubric, also after an error."""
        episode: Episode | None = state.pop(EPISODE, None)
        if episode is None:
            return
        last = last_message(state)
        verdict = await episode.finish(text_of(last) if last is not None else "", state["info"]["tools"])
        episode.close()
        state[REWARD] = verdict.reward
        if verdict.mask is not None:
            logger.warning("the environment failed, so the reward is 0: %s: %s", verdict.mask.kind, verdict.mask.reason)


def last_message(state: State) -> AssistantMessage | None:
    """Return the model's last message."""
    steps = state["trajectory"]
    last = steps[-1]["completion"][-1] if steps and steps[-1]["completion"] else None
    return last if isinstance(last, AssistantMessage) else None


def text_of(message: AssistantMessage) -> str:
    """Return the text of a message, without images."""
    content = message.content
    if content is None or isinstance(content, str):
        return content or ""
    parts = [part if isinstance(part, dict) else part.model_dump() for part in content]
    return "".join(text for part in parts if isinstance(text := part.get("text"), str))


def load_environment(servers: Mapping[str, Mapping[str, Any]] | None = None, **kwargs: Any) -> vf.Environment:
    """Return the environment. verifiers calls this with the ``vf_env_args`` of the agent's config."""
    if not servers:
        raise ValueError("vf_env_args must have servers: the settings of each server, by its name")
    return OpenEnvTasks(servers, **kwargs)
