"""Checks an Axolotl config's keys with the classes of its wheel that need no torch: NemoGymArgs and TRLConfig, unknown keys refused.

python axolotl_config.py --wheel DIR CONFIG.yaml
"""

import importlib.util
import sys

import yaml
from pydantic import ConfigDict

wheel, config = sys.argv[sys.argv.index("--wheel") + 1], sys.argv[-1]


def load(path, name):
    spec = importlib.util.spec_from_file_location(name.lower(), f"{wheel}/axolotl/{path}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def strict(model):
    return type(
        "Strict" + model.__name__, (model,), {"model_config": ConfigDict(extra="forbid"), "__module__": __name__}
    )


c = yaml.safe_load(open(config))
strict(load("integrations/nemo_gym/args.py", "NemoGymArgs")).model_validate(
    {k: v for k, v in c.items() if k.startswith("nemo_gym_")}
)
strict(load("utils/schemas/trl.py", "TRLConfig")).model_validate(c["trl"])
assert c["plugins"] == ["axolotl.integrations.nemo_gym.NemoGymPlugin"]
assert c["rl"] == "grpo"
assert c["vllm"]["max_model_len"] > c["trl"]["max_completion_length"]
names = {d["path"] for d in c["nemo_gym_datasets"]}
print("ok", len(c["trl"]), "trl keys;", sum(k.startswith("nemo_gym_") for k in c), "nemo_gym keys; data:", *names)
