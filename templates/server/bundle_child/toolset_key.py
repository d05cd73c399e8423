"""Finds out which tasks of an AgentEnv bundle have the same tools, from their steps.

gymgen then probes one task of each kind. The rules are those of AgentEnv 0.9.1364 for an agent that is played from
outside: a turn has the tools of the envs that the agent's deploy step binds, if the agent's role may use them, and
``bash`` if the agent works in a sandbox.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

Step = Mapping[str, Any]

# The fields that determine tools, by type of step. The other fields are prose, resources or time limits.
TOOL_FIELDS: dict[str, tuple[str, ...]] = {
    "deploy_env": ("env_id", "env_version", "artifact_id", "artifact_version", "gateway_mode"),
    "deploy_agent": ("env_ids", "role", "sandbox_name"),
    "install_agent": ("env_ids", "role", "sandbox_name", "container_name"),
    "deploy_sandbox": ("sandbox_name", "sandbox_mode", "image", "boot_mode"),
    "modify_env_tool_access": ("env_id", "action", "role", "tools"),
}

# Steps that only read, or that concern another agent.
IRRELEVANT_STEPS = frozenset(
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

MAX_NAME = 40  # characters


def toolset_key(steps: Sequence[Step], agent: str, id_root: str, *, sandboxed: bool) -> str | None:
    """Return a short text that two tasks share only if the turns of ``agent`` have the same tools.

    Returns None if the steps do not determine the tools: a step loads an env, runs code, or has an unknown type.
    ``id_root`` is the bundle's prefix of ids. It contains a path of this machine and is removed.
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
                kept.append([*_tool_fields(step), env_steps.get(step.get("env_step_id") or "")])
        elif kind in TOOL_FIELDS:
            if kind == "deploy_env":
                env_steps[step["id"]] = len(kept)
            if kind != "deploy_sandbox" or sandboxed:
                kept.append(_tool_fields(step))
        elif kind not in IRRELEVANT_STEPS and not _loads_files(step):
            return None
    kinds = {step["type"] for step in steps}
    if "modify_env_tool_access" in kinds and any(step.get("depends_on") is not None for step in steps):
        return None  # the order of the change and the turn differs from run to run
    text = json.dumps([sandboxed, kept], sort_keys=True).replace(json.dumps(f"{id_root}/")[1:-1], "")
    return f"{_name(steps, agent, sandboxed)}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def _agent(step: Step) -> str:
    return step.get("agent_name") or "default-agent"


def _tool_fields(step: Step) -> list[Any]:
    return [step["type"], *(step.get(field) for field in TOOL_FIELDS[step["type"]])]


def _loads_files(step: Step) -> bool:
    """Files of an agent do not change its tools. Files of an env may."""
    return step["type"] == "load_artifact" and not step.get("env_id")


def _name(steps: Sequence[Step], agent: str, sandboxed: bool) -> str:
    """Return a readable name: the envs of the agent."""
    bound = [step for step in steps if step["type"] in ("deploy_agent", "install_agent") and _agent(step) == agent]
    names = ["bash"] if sandboxed else []
    names += [env_id.rsplit("/", 1)[-1] for step in bound for env_id in step.get("env_ids") or ()]
    return re.sub(r"[^A-Za-z0-9_+-]", "_", "+".join(names))[:MAX_NAME] or "no-env"
