"""Two tasks share a key only if their turns have the same tools. Tasks with unknown tools have no key."""

from __future__ import annotations

from typing import Any

import pytest

from bundle_child.toolset_key import toolset_key

ROOT = "@local/srv/bundles/shop"


def deploy(*envs: str, **fields: Any) -> dict[str, Any]:
    return {"id": "agent", "type": "deploy_agent", "agent_name": "solver", "env_ids": [*envs], **fields}


def step(kind: str, **fields: Any) -> dict[str, Any]:
    return {"id": kind, "type": kind, **fields}


ASK = step("prompt_agent", agent_name="solver", prompt="Go.")
SHOP = f"{ROOT}/shop"
BLOCK = step("modify_env_tool_access", env_id=SHOP, action="disable", role="user", tools=["buy"])


def key(*steps: dict[str, Any], root: str = ROOT, sandboxed: bool = False) -> str | None:
    return toolset_key(steps, "solver", root, sandboxed=sandboxed)


BASE = key(deploy(SHOP), ASK)


def test_the_key_names_the_envs_and_is_the_same_on_every_machine() -> None:
    assert BASE is not None
    assert BASE.startswith("shop-")
    assert key(deploy("@local/else/where/shop"), ASK, root="@local/else/where") == BASE
    assert str(key(deploy(), ASK)).startswith("no-env-")
    assert str(key(deploy(SHOP), ASK, sandboxed=True)).startswith("bash+shop-")
    assert str(key(deploy(*(f"x/{'é' * 20}{n}" for n in range(9))), ASK)).isascii()


@pytest.mark.parametrize(
    "steps",
    [
        [deploy(SHOP, system_prompt="Be brief.", ttl_seconds=9, metadata={"x": 1}), {**ASK, "prompt": "Other."}],
        [deploy(SHOP), ASK, step("agent_prompt_response_verifier", verifier_id="v")],
        [deploy(SHOP), ASK, step("load_artifact", agent_name="solver", artifact_id="a")],
        [step("deploy_agent", agent_name="judge", env_ids=["x/judging"]), deploy(SHOP), ASK],
        [deploy(SHOP), ASK, step("prompt_agent", agent_name="judge")],
        [deploy(SHOP, depends_on=[]), {**ASK, "depends_on": [{"task_step_id": "agent"}]}],
    ],
)
def test_steps_and_fields_without_tools_do_not_change_the_key(steps: list[dict[str, Any]]) -> None:
    assert key(*steps) == BASE


DIFFERENT = {
    "another env": [deploy(f"{ROOT}/bank"), ASK],
    "one more env": [deploy(SHOP, f"{ROOT}/bank"), ASK],
    "the other order": [deploy(f"{ROOT}/bank", SHOP), ASK],
    "a role": [deploy(SHOP, role="clerk"), ASK],
    "another turn": [deploy(SHOP), ASK, ASK],
    "a deployed env": [step("deploy_env", env_id=SHOP), deploy(SHOP), ASK],
    "a deployed env with an artifact": [step("deploy_env", env_id=SHOP, artifact_id="a"), deploy(SHOP), ASK],
    "a tool that is blocked": [deploy(SHOP), BLOCK, ASK],
    "a tool that is blocked for the second turn": [deploy(SHOP), ASK, BLOCK, ASK],
    "another tool that is blocked": [deploy(SHOP), {**BLOCK, "tools": ["sell"]}, ASK],
}


def test_other_tools_change_the_key() -> None:
    keys = {name: key(*steps) for name, steps in DIFFERENT.items()}
    assert None not in keys.values()
    assert len({BASE, *keys.values()}) == len(keys) + 1
    assert key(deploy(SHOP), ASK, sandboxed=True) != BASE


def test_the_bound_deployment_changes_the_key_and_the_names_of_steps_do_not() -> None:
    def two(first: str, second: str, bound: str) -> str | None:
        envs = [step("deploy_env", env_id=SHOP) | {"id": name} for name in (first, second)]
        return key(*envs, deploy(SHOP, env_step_id=bound), ASK)

    assert two("a", "b", "a") == two("x", "y", "x") != two("a", "b", "b")


@pytest.mark.parametrize(
    "steps",
    [
        [deploy(SHOP), step("load_artifact", env_id=SHOP, artifact_id="a"), ASK],
        [deploy(SHOP), step("apply_server_config", env_id=SHOP), ASK],
        [deploy(SHOP), step("run_code", code="…"), ASK],
        [deploy(SHOP), step("unknown_step"), ASK],
        [deploy(SHOP), {**BLOCK, "depends_on": []}, ASK],
        [deploy(SHOP), BLOCK, {**ASK, "depends_on": [{"task_step_id": "agent"}]}],
    ],
)
def test_steps_with_unknown_tools_have_no_key(steps: list[dict[str, Any]]) -> None:
    assert key(*steps) is None
