"""Axolotl's NeMo Gym plugin without torch: its own loader and its own caller play a file of rows against running Gym servers.

    python axolotl_play.py --wheel DIR --rows FILE --head-port PORT [--server-name N] [--limit 20] [--generations 2] [--run-timeout 300]

DIR is axolotl's wheel, unpacked (axolotl-0.21.0-py3-none-any.whl). Needs datasets, aiohttp, requests, pyyaml and pydantic. Runs, from the
wheel: args.NemoGymArgs, server.get_server_configs and get_agent_servers, dataset.load_nemo_gym_datasets, the plugin's lookup (by the last
message's content), multi_turn._call_agents and _parse_agent_response. Prints one JSON document.
"""

import argparse
import asyncio
import importlib.util
import json
import logging
import os
import random
import sys
import time
import types
from collections import Counter

p = argparse.ArgumentParser()
p.add_argument("--wheel", required=True)
p.add_argument("--rows", required=True)
p.add_argument("--head-port", type=int)
p.add_argument("--server-name", default="")
p.add_argument("--limit", type=int, default=20)
p.add_argument("--generations", type=int, default=2)
p.add_argument("--max-completion-length", type=int, default=1024)
p.add_argument("--run-timeout", type=float, default=300)
args = p.parse_args()

warnings = []


class Handler(logging.Handler):
    def emit(self, record):
        warnings.append(record.getMessage())


log = logging.getLogger("axolotl")
log.addHandler(Handler(level=logging.WARNING))
for name in (
    "axolotl",
    "axolotl.utils",
    "axolotl.utils.logging",
    "axolotl.integrations",
    "axolotl.integrations.nemo_gym",
):
    module = types.ModuleType(name)
    module.__path__ = []
    sys.modules[name] = module
sys.modules["axolotl.utils.logging"].get_logger = lambda _name: log


def load(name):
    path = os.path.join(args.wheel, "axolotl/integrations/nemo_gym", name + ".py")
    spec = importlib.util.spec_from_file_location("axolotl.integrations.nemo_gym." + name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


gym_args, dataset, multi_turn, server = load("args"), load("dataset"), load("multi_turn"), load("server")
config = {
    "nemo_gym_enabled": True,
    "nemo_gym_auto_start": False,
    "nemo_gym_head_port": args.head_port,
    "nemo_gym_multi_turn": True,
    "nemo_gym_run_timeout": int(args.run_timeout),
    "nemo_gym_datasets": [{"path": os.path.abspath(args.rows), "server_name": args.server_name}],
}
gym_args.NemoGymArgs.model_validate(config)
report = {"rows": sum(1 for _ in open(args.rows))}
random.seed(0)
try:
    loaded = dataset.load_nemo_gym_datasets(os.getcwd(), config["nemo_gym_datasets"])
except Exception as error:
    report["load_nemo_gym_datasets"] = f"{type(error).__name__}: {str(error)[:600]}"
    print(json.dumps(report, indent=1))
    sys.exit(1)
lookup = {}
unhashable = None
for i in range(len(loaded)):
    row = loaded[i]
    try:
        lookup[row["prompt"][-1]["content"]] = row  # plugin.py: the lookup of register() and load_datasets()
    except TypeError as error:
        unhashable = f"{type(error).__name__}: {error}"
        break
report |= {
    "loaded": len(loaded),
    "keyed": len(lookup),
    "lost to an equal first user message": len(loaded) - len(lookup),
    "unhashable": unhashable,
}


def nulls(value, path=""):
    if isinstance(value, dict):
        for k, v in value.items():
            yield from ([path + "." + k] if v is None else nulls(v, path + "." + k))
    elif isinstance(value, list):
        for v in value:
            yield from nulls(v, path + "[]")


originals = [json.loads(line) for line in open(args.rows)]
before = Counter(n for r in originals for n in set(nulls(r)))
after = Counter(n for r in lookup.values() for n in set(nulls(r["verify_extra"])))
report["nulls that Arrow added"] = dict((after - before).most_common(12))
by_id = {json.dumps([r.get("split"), r.get("index"), r.get("task_id")]): r for r in originals}
changed = [
    r["verify_extra"]
    for r in lookup.values()
    if by_id.get(
        json.dumps([r["verify_extra"].get("split"), r["verify_extra"].get("index"), r["verify_extra"].get("task_id")])
    )
    != r["verify_extra"]
]
report["rows that differ from the file"] = len(changed)
if args.head_port and not unhashable:
    gym = server.get_server_configs(args.head_port)
    agents = server.get_agent_servers(gym)
    report["agents"] = agents
    items = []
    for text, row in list(lookup.items())[: args.limit]:
        item = row["verify_extra"] or {"responses_create_params": {"input": [{"role": "user", "content": text}]}}
        items += [json.loads(json.dumps(item)) for _ in range(args.generations)]
    unknown = [i["agent_ref"]["name"] for i in items if i.get("agent_ref", {}).get("name") not in agents]
    report["rows sent to the first agent, as theirs is unknown"] = len(unknown)
    t = time.time()
    answers = asyncio.run(
        multi_turn._call_agents(items, agents, args.run_timeout, args.max_completion_length, 0.8, 0.999)
    )
    parsed = [multi_turn._parse_agent_response(a, 0) for a in answers]
    report |= {
        "seconds": round(time.time() - t, 2),
        "rollouts": [
            {
                "task": json.loads(item.get("gymgen_row") or json.dumps(item)).get("task_id"),
                "reward": x["reward"],
                "trained": sum(x["env_mask"]),
                "masked": bool(a.get("mask_sample")),
                "error": a.get("error"),
            }
            for item, a, x in zip(items, answers, parsed)
        ],
        "turns": Counter(x["num_turns"] for x in parsed),
        "aligned": all(len(x["completion_ids"]) == len(x["env_mask"]) == len(x["logprobs"]) for x in parsed),
        "trained tokens": sum(sum(x["env_mask"]) for x in parsed),
        "errors": Counter(a["error"][:300] for a in answers if "error" in a),
        "masked by the server, and a reward of 0 to Axolotl": sum(bool(a.get("mask_sample")) for a in answers),
        "and trained on": sum(bool(a.get("mask_sample")) and sum(x["env_mask"]) > 0 for a, x in zip(answers, parsed)),
    }
report["warnings"] = Counter(w[:200] for w in warnings)
print(json.dumps(report, indent=1))
