"""Serves a bundle with AgentEnv's own OpenEnv server, on loopback, for the process that started this one.

    python serve_bundle.py [--token-on-stdin] BUNDLE [--reward STEP] [--sandbox NAME] [--max-concurrent-envs N]

BUNDLE is a folder's path or an installed bundle's name. With --token-on-stdin, the first line of standard input is a
token that each request must send as X-Gymgen-Token. Needs agentenv-framework[openenv], and nothing of NeMo Gym.
Lines of JSON on standard output: {"progress": …} and {"warning": …} while it prepares, then

    {"url": "http://127.0.0.1:…", "framework": its version}     when it answers, or
    {"refused": why}                                            and exit code 3.

It ends by SIGINT or SIGTERM, or when its standard input closes, so also when its parent is killed.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import importlib.metadata
import logging
import os
import sys
from typing import Any

from loopback import TOKEN_FLAG, end_with_parent, say, serve, token_from_stdin
from toolset_key import toolset_key

# Python puts a script's folder first: nobody else's `import config` may find the modules here.
sys.path.pop(0)

REFUSED = 3
DISTRIBUTION = "agentenv-framework"


class Refused(Exception):
    """The bundle can't be served, in AgentEnv's words."""


def main() -> int:
    parser = argparse.ArgumentParser(description="Serves a bundle with AgentEnv's own OpenEnv server.")
    parser.add_argument("bundle", help="a folder's path, or an installed bundle's name")
    parser.add_argument("--reward", metavar="STEP", help="whose score is the reward, where there are several")
    parser.add_argument("--sandbox", metavar="NAME", help="the sandbox provider that environments are deployed on")
    parser.add_argument("--max-concurrent-envs", type=int, default=8, help="sessions at once (8)")
    parser.add_argument("--port", type=int, default=0, help="0, the default, takes a free one")
    parser.add_argument(TOKEN_FLAG, action="store_true", help="read the token that requests must send")
    args = parser.parse_args()
    token = token_from_stdin() if args.token_on_stdin else None
    end_with_parent()
    logging.basicConfig(level=os.environ.get("LOGLEVEL", "WARNING"), format="%(levelname)s %(name)s: %(message)s")
    try:
        app = build(args.bundle, args.reward, args.sandbox, args.max_concurrent_envs)
    except Refused as e:
        say(refused=str(e))
        return REFUSED
    serve(app, args.port, token=token, framework=importlib.metadata.version(DISTRIBUTION))
    return 0


def build(bundle: str, reward: str | None, sandbox: str | None, max_concurrent_envs: int) -> Any:
    """The app of ``agent_env.openenv.build_app``, whose tasks say their ``toolset``. Raises Refused."""
    say(progress="importing AgentEnv")
    if not os.environ.get("ENABLE_WEB_INTERFACE"):
        # openenv imports gradio for a web page that is off, and does without it where it isn't installed: 4 s less.
        sys.modules.setdefault("gradio", None)  # type: ignore[arg-type]
    try:
        server: Any = importlib.import_module("agent_env.openenv.app")
    except ImportError as e:
        raise Refused(f"{sys.executable} has no {DISTRIBUTION}[openenv]: {e}") from e
    server.AgentEnvEnvironment = with_toolsets(server.AgentEnvEnvironment)
    server.logger.addHandler(Progress())
    server.logger.setLevel(logging.INFO)
    server.logger.propagate = False
    say(progress=f"preparing {os.path.basename(bundle)}")
    try:
        return server.build_app(bundle, reward=reward, sandbox=sandbox, max_concurrent_envs=max_concurrent_envs)
    except ValueError as e:  # BundleError is one
        raise Refused(str(e)) from e


class Progress(logging.Handler):
    """What AgentEnv logs while it prepares a bundle: builds, pulls, and tasks that it leaves out."""

    def emit(self, record: logging.LogRecord) -> None:
        say(**{"warning" if record.levelno >= logging.WARNING else "progress": record.getMessage()})


def with_toolsets(base: type[Any]) -> type[Any]:
    """AgentEnv's environment, whose task descriptors have a ``toolset`` where the bundle's files tell it."""

    class ToolsetEnvironment(base):
        def __init__(self, served: Any) -> None:
            super().__init__(served)
            self._tasks_of = served.splits

        def list_tasks(self, split: str) -> list[dict[str, Any]]:
            return [self._told(split, task) for task in super().list_tasks(split)]

        def get_task(self, split: str, index: int) -> dict[str, Any]:
            return self._told(split, super().get_task(split, index))

        def get_task_range(self, split: str, start: int | None = None, stop: int | None = None) -> list[dict[str, Any]]:
            return [self._told(split, task) for task in super().get_task_range(split, start, stop)]

        def _told(self, split: str, descriptor: dict[str, Any]) -> dict[str, Any]:
            toolset = toolset_of(self._tasks_of[split][descriptor["index"]])
            return descriptor if toolset is None else {**descriptor, "toolset": toolset}

    return ToolsetEnvironment


@functools.cache
def toolset_of(served: Any) -> str | None:
    """Of a ``ServedTask``, which is frozen and compared by what it holds."""
    rules: Any = importlib.import_module("agent_env.task.episode.rules")
    task, (agent, *_) = served.task, served.spec.trainer_agents
    steps = [step.to_dict() for step in task.steps]
    id_root = task.id.removesuffix(f"/{served.name}")
    return toolset_key(steps, agent, id_root, sandboxed=rules.works_in_sandbox(task.steps, agent))


if __name__ == "__main__":
    sys.exit(main())
