"""Prints the names that the installed NeMo Gym uses, as JSON, for comparison with src/rules/gym-names.ts."""

import ast
import contextlib
import importlib
import json
import pkgutil
import re
import sys
from pathlib import Path
from typing import get_args

import nemo_gym
import nemo_gym.global_config as global_config
from nemo_gym.config_types import BaseNeMoGymCLIConfig, DatasetConfig, Domain, ExporterConfig
from pydantic import BaseModel

SOURCE = Path(nemo_gym.__file__).parent
WHOLE_CONFIG = r"(\w+)\.model_validate\(\s*(?:\w+\.)*(?:global_config_dict|global_config|get_global_config_dict\(\))"


def subclasses(cls):
    for sub in cls.__subclasses__():
        yield sub
        yield from subclasses(sub)


def import_all():
    for module in pkgutil.walk_packages(nemo_gym.__path__, "nemo_gym."):
        # A module that needs an extra is not part of the base installation.
        with contextlib.suppress(ImportError, SystemExit):
            importlib.import_module(module.name)


def config_fields():
    validated = {name for path in SOURCE.rglob("*.py") for name in re.findall(WHOLE_CONFIG, path.read_text())}
    models = {*subclasses(BaseNeMoGymCLIConfig), *subclasses(ExporterConfig)}
    models |= {
        cls for cls in subclasses(BaseModel) if cls.__name__ in validated and cls.__module__.startswith("nemo_gym")
    }
    return {name for model in models for name in model.model_fields}


def command_keys():
    """Keys that the commands' flags set, as `+key=value`."""
    keys = set()
    for node in ast.walk(ast.parse((SOURCE / "cli/main.py").read_text())):
        match node:
            case ast.Call(func=ast.Name(id=name), args=[_, ast.Constant(value=str(key)), *_]) if name.endswith("_flag"):
                keys.add(key.split(".")[0])
            case ast.Constant(value=str(text)) if found := re.match(r"\+([a-z_]+)=", text):
                keys.add(found[1])
    return keys


def routes():
    from unittest.mock import MagicMock

    from nemo_gym.base_resources_server import RESERVED_MCP_TOOL_NAMES, BaseResourcesServerConfig, SimpleResourcesServer
    from nemo_gym.config_types import ROLLOUT_PATH_PREFIX
    from nemo_gym.server_utils import ServerClient

    class Server(SimpleResourcesServer):
        config: BaseResourcesServerConfig

        async def verify(self, body):
            raise NotImplementedError

    config = BaseResourcesServerConfig(name="x", host="127.0.0.1", port=1, entrypoint="")
    server = Server(config=config, server_client=MagicMock(spec=ServerClient))
    app = server.setup_webserver()
    posted = {route.path.lstrip("/") for route in app.routes if "POST" in (getattr(route, "methods", None) or ())}
    return {*posted, *RESERVED_MCP_TOOL_NAMES, ROLLOUT_PATH_PREFIX}


import_all()
names = {
    "reserved": set(global_config.NEMO_GYM_RESERVED_TOP_LEVEL_KEYS),
    "fields": config_fields(),
    "commands": command_keys(),
    "servers": {path.parent.name for path in (SOURCE.parent / "resources_servers").glob("*/README.md")},
    "licenses": {
        value
        for option in get_args(DatasetConfig.model_fields["license"].annotation)
        for value in get_args(option)
        if isinstance(value, str)
    },
    "routes": routes(),
    "domains": {domain.value for domain in Domain},
    **{
        name: {path.name for path in (SOURCE.parent / name).iterdir() if path.is_dir() and path.name[0] not in "._"}
        for name in ("responses_api_agents", "responses_api_models", "environment_servers")
    },
}
json.dump({key: sorted(value) for key, value in names.items()}, sys.stdout)
