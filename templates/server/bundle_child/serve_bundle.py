"""Serves a bundle with AgentEnv's own OpenEnv server, on loopback, for the process that started this one.

    python serve_bundle.py [--token-on-stdin] BUNDLE [--reward STEP] [--sandbox NAME] [--max-concurrent-envs N]

BUNDLE is the path of a folder or the name of an installed bundle. With --token-on-stdin, the first line of standard
input is a token, which each request must have in the header X-Gymgen-Token. The program needs
agentenv-framework[openenv], and runs without NeMo Gym. It writes lines of JSON to standard output: {"progress": …} and
{"warning": …} while it prepares, and then one of

    {"url": "http://127.0.0.1:…", "framework": version}     when it is ready
    {"refused": reason}                                     with exit code 3

It ends on SIGINT or SIGTERM, and when its standard input closes, which includes the death of its parent.
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

from loopback import TOKEN_FLAG, end_with_parent, send, serve, token_from_stdin
from toolset_key import toolset_key

# Python puts a script's folder first. Other code must not import the modules of this folder by accident.
sys.path.pop(0)

REFUSED = 3
DISTRIBUTION = "agentenv-framework"


class Refused(Exception):
    """AgentEnv refuses the bundle, with this message."""


def main() -> int:
    parser = argparse.ArgumentParser(description="Serves a bundle with AgentEnv's own OpenEnv server.")
    parser.add_argument("bundle", help="path of a folder, or name of an installed bundle")
    parser.add_argument("--reward", metavar="STEP", help="step whose score is the reward, if there are several")
    parser.add_argument("--sandbox", metavar="NAME", help="sandbox provider on which environments are deployed")
    parser.add_argument(
        "--max-concurrent-envs", type=int, default=8, help="maximum number of sessions at the same time (default: 8)"
    )
    parser.add_argument("--port", type=int, default=0, help="port to listen on (default: 0, any free port)")
    parser.add_argument(TOKEN_FLAG, action="store_true", help="read the token that each request must have")
    args = parser.parse_args()
    token = token_from_stdin() if args.token_on_stdin else None
    end_with_parent()
    logging.basicConfig(level=os.environ.get("LOGLEVEL", "WARNING"), format="%(levelname)s %(name)s: %(message)s")
    try:
        app = build(args.bundle, args.reward, args.sandbox, args.max_concurrent_envs)
    except Refused as e:
        send(refused=str(e))
        return REFUSED
    serve(app, args.port, token=token, framework=importlib.metadata.version(DISTRIBUTION))
    return 0


def build(bundle: str, reward: str | None, sandbox: str | None, max_concurrent_envs: int) -> Any:
    """Build AgentEnv's app, and add a ``toolset`` to its task descriptors. Raises Refused."""
    send(progress="importing AgentEnv")
    if not os.environ.get("ENABLE_WEB_INTERFACE"):
        # openenv imports gradio, for a web page that is off, if it is installed. This import takes 4 s.
        # A module set to None cannot be imported (Python's language reference, section 5.3.1).
        sys.modules.setdefault("gradio", None)  # type: ignore[arg-type]
    try:
        server: Any = importlib.import_module("agent_env.openenv.app")
    except ImportError as e:
        raise Refused(f"{sys.executable} has no {DISTRIBUTION}[openenv]: {e}") from e
    server.AgentEnvEnvironment = with_toolsets(server.AgentEnvEnvironment)
    server.logger.addHandler(Progress())
    server.logger.setLevel(logging.INFO)
    server.logger.propagate = False
    send(progress=f"preparing {os.path.basename(bundle)}")
    try:
        return server.build_app(bundle, reward=reward, sandbox=sandbox, max_concurrent_envs=max_concurrent_envs)
    except ValueError as e:  # includes BundleError
        raise Refused(str(e)) from e


class Progress(logging.Handler):
    """Forwards AgentEnv's log to the parent: builds, pulls, and tasks that it leaves out."""

    def emit(self, record: logging.LogRecord) -> None:
        send(**{"warning" if record.levelno >= logging.WARNING else "progress": record.getMessage()})


def with_toolsets(base: type[Any]) -> type[Any]:
    """Extend AgentEnv's environment: task descriptors have a ``toolset`` if it follows from the bundle's files."""

    class ToolsetEnvironment(base):
        def __init__(self, served: Any) -> None:
            super().__init__(served)
            self._splits = served.splits

        def list_tasks(self, split: str) -> list[dict[str, Any]]:
            return [self._with_toolset(split, task) for task in super().list_tasks(split)]

        def get_task(self, split: str, index: int) -> dict[str, Any]:
            return self._with_toolset(split, super().get_task(split, index))

        def get_task_range(self, split: str, start: int | None = None, stop: int | None = None) -> list[dict[str, Any]]:
            return [self._with_toolset(split, task) for task in super().get_task_range(split, start, stop)]

        def _with_toolset(self, split: str, descriptor: dict[str, Any]) -> dict[str, Any]:
            toolset = toolset_of(self._splits[split][descriptor["index"]])
            return descriptor if toolset is None else {**descriptor, "toolset": toolset}

    return ToolsetEnvironment


@functools.cache
def toolset_of(served: Any) -> str | None:
    """Return the toolset of a ``ServedTask``, which is hashable because it is frozen."""
    rules: Any = importlib.import_module("agent_env.task.episode.rules")
    task, (agent, *_) = served.task, served.spec.trainer_agents
    steps = [step.to_dict() for step in task.steps]
    id_root = task.id.removesuffix(f"/{served.name}")
    return toolset_key(steps, agent, id_root, sandboxed=rules.works_in_sandbox(task.steps, agent))


if __name__ == "__main__":
    sys.exit(main())
