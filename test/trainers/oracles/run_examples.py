"""NeMo RL's call to NeMo Gym, on a CPU: its own actor class starts the servers, plays rows, and post-processes the results.

    python run_examples.py --rl CHECKOUT --gym-root ROOT --config-path resources_servers/N/configs/N.yaml --rows FILE
        --model-url http://127.0.0.1:PORT/v1 [--model fake] [--limit 20] [--repeats 1] [--offset 0] [--max-new-tokens 1024]
        [--node-ip 127.0.0.1] [--out results.json] [--override a.b.c=value …]

Runs in a venv with nemo-gym[dev]==0.7.0 (CPython >= 3.13.14, uv on PATH). From a checkout of NeMo RL it runs, unchanged:
`NemoGym._spinup` (RunHelper.start with NeMo RL's own global config), `NemoGymDataset` and `nemo_gym_data_processor`,
`_prepare_nemo_gym_rows`, `NemoGym.run_rollouts` (RolloutCollectionHelper.run_examples and the assertion of contiguous prefixes),
`extract_reward_components`, `validate_reward_components_match_scalar`, `_extract_mask_sample_flags`. torch, transformers and wandb are stand-ins.
Prints one JSON document with what each rollout came to, and times.
"""

import argparse
import asyncio
import json
import os
import sys
import time
import types

p = argparse.ArgumentParser()
p.add_argument("--rl", required=True)
p.add_argument("--gym-root", required=True)
p.add_argument("--config-path", action="append", required=True)
p.add_argument("--rows", required=True)
p.add_argument("--model-url", required=True)
p.add_argument("--model", default="fake")
p.add_argument("--limit", type=int, default=20)
p.add_argument("--offset", type=int, default=0)
p.add_argument("--repeats", type=int, default=1)
p.add_argument("--max-new-tokens", type=int, default=1024)
p.add_argument("--node-ip", default="127.0.0.1")
p.add_argument("--out")
p.add_argument("--ray-address", help="a Ray that runs already, e.g. 127.0.0.1:9301")
p.add_argument("--override", action="append", default=[])
args = p.parse_args()

os.environ["NEMO_GYM_EXTRA_ROOTS"] = os.path.abspath(args.gym_root)
os.environ.setdefault("UV_PYTHON_DOWNLOADS", "never")
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
t0 = time.time()

import nemo_rl_stubs

nemo_rl_stubs.install()
sys.path.insert(0, os.path.abspath(args.rl))
import ray
from omegaconf import OmegaConf

if args.ray_address:
    ray.init(address=args.ray_address, _node_ip_address=args.node_ip, log_to_driver=False)
else:
    ray.init(include_dashboard=False, num_cpus=2, _node_ip_address=args.node_ip, log_to_driver=False)
import nemo_rl.environments.nemo_gym as ng
from nemo_rl.data.datasets.response_datasets.nemogym_dataset import NemoGymDataset
from nemo_rl.data.processors import nemo_gym_data_processor
from nemo_rl.experience import rollouts as ro

ng._get_node_ip_local = lambda: args.node_ip  # loopback only
cls = ng.NemoGym.__ray_metadata__.modified_class
# `_spinup` insists that its file is nemo_rl/environments/nemo_gym.py, as it is here
global_config = {
    "config_paths": ["responses_api_models/vllm_model/configs/vllm_model_for_training.yaml", *args.config_path],
    "skip_venv_if_present": True,
}
for override in args.override:
    global_config = OmegaConf.to_container(OmegaConf.merge(global_config, OmegaConf.from_dotlist([override])))
actor = cls({"model_name": args.model, "base_urls": [args.model_url], "initial_global_config_dict": global_config})
t1 = time.time()
actor._spinup()
t2 = time.time()


class Tokenizer:
    pad_token_id = 0

    def batch_decode(self, lists):
        return [bytes(t for t in tokens if t < 256).decode("utf-8", "replace") for tokens in lists]

    def apply_chat_template(self, messages, tokenize=True):
        return list(json.dumps(messages).encode())


actor._tokenizer = Tokenizer()  # set_tokenizer
rows_file = NemoGymDataset(args.rows)
specs = [nemo_gym_data_processor(rows_file.dataset[i], None, None, None, i) for i in range(len(rows_file.dataset))]
rows = [s["extra_env_info"] for s in specs[args.offset : args.offset + args.limit]]
rows = [json.loads(json.dumps(r)) for r in rows for _ in range(args.repeats)]
ro._prepare_nemo_gym_rows(
    rows, {"max_new_tokens": args.max_new_tokens}, types.SimpleNamespace(temperature=1.0, top_p=1.0)
)


async def play():
    results = {}
    async for index, result, _timing in actor.run_rollouts(rows, "timing/rollout"):
        results[index] = result
    return [results[i] for i in range(len(rows))]


failure = None
results = []
try:
    results = asyncio.run(play())
except BaseException as error:  # the run ends on it: NeMo RL's would too
    failure = f"{type(error).__name__}: {str(error)[:1500]}"
t3 = time.time()
full = [r["full_result"] for r in results]
components = [ng.extract_reward_components(r) for r in full]
if any(components):
    ng.validate_reward_components_match_scalar(full)
flags = list(ro._extract_mask_sample_flags(results)) if results else []  # what the loss leaves out
report = {
    "times": {"imports and ray": round(t1 - t0, 1), "spinup": round(t2 - t1, 1), "rollouts": round(t3 - t2, 2)},
    "failure": failure,
    "masked by the server": sum(bool(r.get("mask_sample")) for r in full),
    "masked in NeMo RL's loss": sum(flags),
    "rollouts": [
        {
            "reward": r["full_result"]["reward"],
            "mask_sample": r["full_result"].get("mask_sample"),
            "failure_reason": r["full_result"].get("failure_reason"),
            "turns": sum(m["role"] == "assistant" for m in r["message_log"]),
            "prompt tokens": len(r["message_log"][0]["token_ids"]),
            "generated tokens": sum(len(m["token_ids"]) for m in r["message_log"] if m["role"] == "assistant"),
            "invalid_tool_call": any(m.get("is_invalid_tool_call") for m in r["message_log"]),
            "components": c,
        }
        for r, c in zip(results, components)
    ],
    "keys of a result": sorted(full[0]) if full else None,
}
if args.out:
    json.dump(full, open(args.out, "w"))
print("REPORT " + json.dumps(report, indent=1))
actor.shutdown()
ray.shutdown()
sys.exit(1 if failure else 0)
