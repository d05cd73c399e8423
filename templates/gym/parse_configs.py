"""Parses Gym configs with NeMo Gym's own parser, and reports whether it accepts them. No value of a config is printed.

The request is JSON on stdin: `groups` (lists of config paths that are merged) and `initial` (what a job adds). The
answer is JSON on stdout: for each group null, or the kind and the first line of Gym's error.
"""

import contextlib
import json
import logging
import os
import sys
import warnings

MEMORY = 4 * 2**30
SECONDS = 300
# Errors whose first lines have only names and keys. Those of other errors may have values.
SAFE = {
    "ConfigInterpolationError",
    "ConfigMissingValuesError",
    "ConfigPathNotFoundError",
    "InheritPathNotFoundError",
    "ServerRefNotFoundError",
}


def limit_resources() -> None:
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def main() -> None:
    limit_resources()
    request = json.load(sys.stdin)
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # Gym prints warnings to stdout
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)

    from nemo_gym.config_types import ConfigError
    from nemo_gym.global_config import GlobalConfigDictParser, GlobalConfigDictParserConfig
    from omegaconf import DictConfig
    from omegaconf.errors import OmegaConfBaseException

    def fault(paths: list[str]) -> dict[str, str] | None:
        try:
            GlobalConfigDictParser().parse(
                GlobalConfigDictParserConfig(
                    initial_global_config_dict=DictConfig({**request["initial"], "config_paths": paths}),
                    skip_load_from_cli=True,
                    skip_load_from_dotenv=True,
                    offline=True,
                )
            )
        except (ConfigError, OmegaConfBaseException) as error:
            kind = type(error).__name__
            lines = [line.strip() for line in str(error).splitlines() if line.strip()]
            return {"kind": kind, "message": " ".join(lines[:2])[:300] if kind in SAFE else ""}
        return None

    json.dump([fault(paths) for paths in request["groups"]], answer)
    answer.close()


if __name__ == "__main__":
    main()
