"""Which tasks of an AgentEnv bundle have the same tools, told from their steps: one play of each kind is then enough.

Steps are looked at as AgentEnv 0.9.1364 runs them with the agent played from outside: a turn has the tools of the envs
that its agent's deploy binds, as far as the agent's role may use them, and ``bash`` where the agent works in a sandbox.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

Step = Mapping[str, Any]

# What decides tools, in the steps that do; all else in them is prose, resources or time limits.
DECIDES: dict[str, tuple[str, ...]] = {
    "deploy_env": ("env_id", "env_version", "artifact_id", "artifact_version", "gateway_mode"),
    "deploy_agent": ("env_ids", "role", "sandbox_name"),
    "install_agent": ("env_ids", "role", "sandbox_name", "container_name"),
    "deploy_sandbox": ("sandbox_name", "sandbox_mode", "image", "boot_mode"),
    "modify_env_tool_access": ("env_id", "action", "role", "tools"),
}

# Steps that read what is there, or only concern another agent.
UNRELATED = frozenset(
    {
        "add_skills",
        "agent_prompt_response_verifier",
        "aggregate_verifiers",
        "collect_artifacts",
        "combine_universe_verdicts",
        "deploy_human_agent",
        "env_outcome_verifier",
        "peer_agents",
        "review",
        "rubrics_verifier",
        "run_container_unit_tests_verifier",
        "snapshot_env",
        "teardown_sandboxes",
        "validation_gate_aggregator",
        "verify_env_card",
        "verify_env_core_protocol",
        "verify_mcp_env_assessment",
        "verify_mcp_tool_schema",
        "verify_sandbox",
        "verify_spec_conformance",
    }
)

NAME_LENGTH = 40


def toolset_key(steps: Sequence[Step], agent: str, id_root: str, *, sandboxed: bool) -> str | None:
    """A short text that tasks have in common only if the turns of ``agent`` have the same tools, or None where the
    steps don't tell: one loads an env, runs code, or is of a type that isn't known here.

    ``id_root`` is the bundle's own prefix of ids, which holds a path of this machine, so that it is left out.
    """
    kept: list[Any] = []
    env_steps: dict[str, int] = {}
    for step in steps:
        kind = step["type"]
        if kind == "prompt_agent":
            if _agent(step) == agent:
                kept.append("turn")
        elif kind in ("deploy_agent", "install_agent"):
            if _agent(step) == agent:
                kept.append([*_decisive(step), env_steps.get(step.get("env_step_id") or "")])
        elif kind in DECIDES:
            if kind == "deploy_env":
                env_steps[step["id"]] = len(kept)
            if kind != "deploy_sandbox" or sandboxed:
                kept.append(_decisive(step))
        elif kind not in UNRELATED and not _loads_files(step):
            return None
    kinds = {step["type"] for step in steps}
    if "modify_env_tool_access" in kinds and any(step.get("depends_on") is not None for step in steps):
        return None  # whether the change or the turn comes first is up to the run
    text = json.dumps([sandboxed, kept], sort_keys=True).replace(json.dumps(f"{id_root}/")[1:-1], "")
    return f"{_name(steps, agent, sandboxed)}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def _agent(step: Step) -> str:
    return step.get("agent_name") or "default-agent"


def _decisive(step: Step) -> list[Any]:
    return [step["type"], *(step.get(field) for field in DECIDES[step["type"]])]


def _loads_files(step: Step) -> bool:
    """Files put beside an agent are no tools; what is put into an env may be."""
    return step["type"] == "load_artifact" and not step.get("env_id")


def _name(steps: Sequence[Step], agent: str, sandboxed: bool) -> str:
    """For people to read: the envs of the agent."""
    bound = [step for step in steps if step["type"] in ("deploy_agent", "install_agent") and _agent(step) == agent]
    names = ["bash"] if sandboxed else []
    names += [env_id.rsplit("/", 1)[-1] for step in bound for env_id in step.get("env_ids") or ()]
    return re.sub(r"[^A-Za-z0-9_+-]", "_", "+".join(names))[:NAME_LENGTH] or "no-env"
