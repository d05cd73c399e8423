"""What axolotl 0.21.0's own loader does to files of rows.

    python axolotl_loader.py --wheel DIR FILE…

Runs `load_nemo_gym_datasets` of the wheel and the lookup of its plugin. Prints a JSON list with one entry per file: the error,
or the number of rows that are kept, and the lines whose tools and other parameters differ from the file.
"""

import importlib.util
import json
import logging
import os
import random
import sys
import types

at = sys.argv.index("--wheel")
wheel, files = sys.argv[at + 1], sys.argv[at + 2 :]

for name in ("axolotl", "axolotl.utils", "axolotl.utils.logging"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["axolotl.utils.logging"].get_logger = logging.getLogger
spec = importlib.util.spec_from_file_location(
    "dataset", os.path.join(wheel, "axolotl/integrations/nemo_gym/dataset.py")
)
dataset = importlib.util.module_from_spec(spec)
spec.loader.exec_module(dataset)


def look(file):
    random.seed(0)
    try:
        loaded = dataset.load_nemo_gym_datasets(os.getcwd(), [{"path": os.path.abspath(file), "server_name": "s"}])
        rows = [loaded[i] for i in range(len(loaded))]
        lookup = {row["prompt"][-1]["content"]: row for row in rows}  # plugin.py:257-263
    except Exception as error:
        return {"error": type(error).__name__}
    lines = {}
    with open(file) as text:
        for number, line in enumerate(text, 1):
            lines[json.loads(line)["line"]] = (number, json.loads(line))
    tools, others = [], []
    for row in rows:
        number, original = lines[row["verify_extra"]["line"]]
        before, after = (r["responses_create_params"] for r in (original, row["verify_extra"]))
        changed = {key for key in before | after if key not in before or before[key] != after[key]}
        if "tools" in changed and "tools" in before:
            tools.append(number)
        if changed - ({"tools"} & before.keys()):
            others.append(number)
    return {"error": None, "kept": len(lookup), "tools": sorted(tools), "others": sorted(others)}


print(json.dumps([look(file) for file in files]))
