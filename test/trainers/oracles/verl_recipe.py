"""Plays rows as verl's recipe nemo_gym does, on a CPU: its own code reads the config, starts NeMo Gym's servers and plays.

    python verl_recipe.py --verl CHECKOUT --model-url http://127.0.0.1:PORT --ray-address HOST:PORT [--limit 8] OVERRIDE…

CHECKOUT has recipe/nemo_gym. OVERRIDE is an override of verl's command line; Hydra's own parser reads it. Needs NEMO_GYM_ROOT,
NEMO_GYM_EXTRA_ROOTS and a venv with nemo-gym 0.7. Real: `NeMoGymJSONLDataset`, `NeMoGymAgentLoopManager._init_nemo_gym`,
`_build_nemo_gym_examples`, `_postprocess_nemo_gym_result`, NeMo Gym. Stand-ins: torch, verl. Prints one JSON document.
"""

import argparse
import asyncio
import importlib
import json
import sys
import types

p = argparse.ArgumentParser()
p.add_argument("--verl", required=True)
p.add_argument("--model-url", required=True)
p.add_argument("--ray-address", required=True)
p.add_argument("--limit", type=int, default=8)
p.add_argument("overrides", nargs="+")
args = p.parse_args()

import nemo_rl_stubs

nemo_rl_stubs.install(also=("verl",))
sys.path.insert(0, args.verl)
import ray
from hydra.core.override_parser.overrides_parser import OverridesParser

ray.init(address=args.ray_address, _node_ip_address="127.0.0.1", log_to_driver=False)
overrides = {o.key_or_group: o.value() for o in OverridesParser.create().parse_overrides(args.overrides)}
agent = {key.rpartition(".")[2]: value for key, value in overrides.items() if ".rollout.agent." in key}
module, _, name = agent["agent_loop_manager_class"].rpartition(".")
recipe = importlib.import_module(module)
spec = importlib.util.spec_from_file_location("dataset", f"{args.verl}/{overrides['data.custom_cls.path']}")
dataset = importlib.util.module_from_spec(spec)
spec.loader.exec_module(dataset)


class Tokenizer:
    def decode(self, tokens):
        return bytes(t for t in tokens if t < 256).decode("utf-8", "replace")


class Batch:
    """What verl's DataProto holds of a batch."""

    def __init__(self, rows):
        self.non_tensor_batch = {
            key: [row[key] for row in rows] for key in ("raw_prompt", "agent_ref", "extra_env_info")
        }

    def __len__(self):
        return len(self.non_tensor_batch["raw_prompt"])


async def play():
    manager = object.__new__(getattr(recipe, name))
    manager.rollout_config = types.SimpleNamespace(agent=types.SimpleNamespace(**agent), temperature=1.0, top_p=1.0)
    manager.server_addresses = [args.model_url]
    manager.model_config = {"path": overrides["actor_rollout_ref.model.path"]}
    await manager._init_nemo_gym()
    rows = getattr(dataset, overrides["data.custom_cls.name"])(overrides["data.val_files"], None)
    examples = recipe._build_nemo_gym_examples(Batch([rows[i] for i in range(args.limit)]), manager.rollout_config)
    rollouts = []
    for task in manager._rch.run_examples(examples=examples, head_server_config=manager._head_server_config):
        row, result = await task
        try:
            turns = len(recipe._postprocess_nemo_gym_result(result, Tokenizer())["message_log"]) // 2
        except ValueError as error:  # an empty rollout in verl
            turns = str(error)
        rollouts.append({"agent": row["agent_ref"]["name"], "reward": result["reward"], "turns": turns})
    return manager, {"overrides": overrides, "rows": len(rows), "rollouts": rollouts}


manager, report = asyncio.run(play())
print("REPORT " + json.dumps(report, indent=1), flush=True)
manager._rh.shutdown()
ray.shutdown()
