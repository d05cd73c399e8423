"""Reads written resources servers as NeMo Gym does: rows with Gym's own models, configs with Gym's own parser.

    python read_as_gym.py GYM_ROOT NAME...

Prints {name: {"rows": {file: count}, "config": its blocks as Gym resolves them}}, or fails if Gym refuses something.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import orjson
from nemo_gym.global_config import GlobalConfigDictParser, GlobalConfigDictParserConfig
from nemo_gym.openai_utils import NeMoGymResponseCreateParamsNonStreaming
from omegaconf import OmegaConf

KEYS = ["responses_create_params", "agent_ref", "split", "index", "task_id"]
KEYS_OF_GIVEN = ["responses_create_params", "agent_ref", "reset", "task_id"]


def count_rows(path: Path) -> int:
    count = 0
    for count, line in enumerate(path.read_bytes().splitlines(keepends=True), start=1):
        assert line.endswith(b"\n"), f"{path.name}:{count} has no line end"
        row = orjson.loads(line)
        assert list(row) in (KEYS, KEYS_OF_GIVEN), f"{path.name}:{count} has the keys {list(row)}"
        NeMoGymResponseCreateParamsNonStreaming.model_validate(row["responses_create_params"])
    return count


def read_config(path: Path, name: str) -> dict[str, Any]:
    given = OmegaConf.merge(GlobalConfigDictParserConfig.NO_MODEL_GLOBAL_CONFIG_DICT, {"config_paths": [str(path)]})
    options = GlobalConfigDictParserConfig(
        initial_global_config_dict=OmegaConf.create(given),  # type: ignore[arg-type]
        skip_load_from_cli=True,
        skip_load_from_dotenv=True,
        offline=True,
    )
    parsed = GlobalConfigDictParser().parse(options)
    blocks: Any = OmegaConf.to_container(parsed, resolve=True)
    return {key: blocks[key] for key in blocks if key.startswith(name)}


def read(folder: Path) -> dict[str, Any]:
    rows = {path.name: count_rows(path) for path in sorted((folder / "data").glob("*.jsonl"))}
    return {"rows": rows, "config": read_config(folder / "configs" / f"{folder.name}.yaml", folder.name)}


def main(root: Path, names: list[str]) -> None:
    json.dump({name: read(root / "resources_servers" / name) for name in names}, sys.stdout)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
