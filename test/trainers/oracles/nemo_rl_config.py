"""Loads a NeMo RL config exactly as examples/nemo_gym/run_grpo_nemo_gym.py does, up to `setup()`, without torch or a GPU.

    python nemo_rl_config.py --rl CHECKOUT --config FILE [--cwd DIR] [hydra overrides …]

Needs pydantic, omegaconf, hydra-core, numpy, pyyaml, packaging, datasets and a checkout of NeMo RL. Runs, from the checkout:
`load_config` (with `defaults:` inheritance), `parse_hydra_overrides`, `MasterConfig(**config)` (pydantic), `setup_nemo_gym_config`,
`should_use_nemo_gym`, `NemoGymDataset` on both data paths, `nemo_gym_data_processor` on every row, `_prepare_nemo_gym_rows`, and
this file's transcription of the asserts of `grpo.setup()` that need no cluster. Prints one JSON document; exit 1 on a failure.
"""

import argparse
import json
import os
import sys
import types

import nemo_rl_stubs


def _setup_asserts(c, n_train, n_val):
    """grpo.py:setup(), the checks that can be made before a cluster exists (grpo.py:504-645, 710-718)."""
    g, gen = c.grpo, c.policy["generation"]
    out = []
    if any(gen[f"val_{k}"] != gen[k] for k in ("temperature", "top_p", "top_k")) and gen["val_top_k"]:
        out.append("generation.val_top_k must be null (grpo.py:521)")
    if g.max_val_samples is not None:
        out.append("grpo.max_val_samples must be null (run_grpo_nemo_gym.py)")
    if g.batch_multiplier != 1 and not g.use_dynamic_sampling:
        out.append("batch_multiplier != 1 without use_dynamic_sampling (grpo.py:571)")
    if (g.val_period > 0 or g.val_at_start or g.val_at_end) and n_val is None:
        out.append("validation is on and there is no data.validation (grpo.py:639)")
    if g.num_prompts_per_step > n_train:
        out.append(f"drop_last=True: {n_train} rows make no batch of {g.num_prompts_per_step} (grpo.py:598)")
    if g.skip_reference_policy_logprobs_calculation and c.loss_fn.reference_policy_kl_penalty != 0:
        out.append("skip_reference_policy_logprobs_calculation wants reference_policy_kl_penalty 0 (grpo.py:712)")
    if gen["stop_strings"] or gen["stop_token_ids"] or gen["top_k"]:
        out.append("stop_strings, stop_token_ids and top_k are refused on the NeMo Gym path (rollouts.py:2362-2375)")
    _ = c.data["use_multiple_dataloader"]  # KeyError without it (grpo.py:560)
    _ = c.logger["num_val_samples_to_print"], c.logger["log_dir"], c.checkpointing["enabled"]
    return out


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--rl", required=True)
    p.add_argument("--config", required=True)
    p.add_argument("--cwd", help="where NeMo RL would be run: data paths are relative to it")
    args, overrides = p.parse_known_args()
    nemo_rl_stubs.install(also=("ray",))
    sys.path.insert(0, os.path.abspath(args.rl))
    config_file = os.path.abspath(args.config)
    if args.cwd:
        os.chdir(args.cwd)

    from nemo_rl.utils.config import load_config, parse_hydra_overrides, register_omegaconf_resolvers
    from omegaconf import OmegaConf

    register_omegaconf_resolvers()
    config = load_config(config_file)
    if overrides:
        config = parse_hydra_overrides(config, overrides)
    config = OmegaConf.to_container(config, resolve=True)

    from nemo_rl.algorithms.grpo import MasterConfig  # the real pydantic model, with torch and ray as stand-ins

    master = MasterConfig(**config)
    unknown = {
        "grpo": sorted((master.grpo.model_extra or {}).keys()),
        "loss_fn": sorted((master.loss_fn.model_extra or {}).keys()),
        "top": sorted((master.model_extra or {}).keys()),
    }
    from nemo_rl.environments.nemo_gym import setup_nemo_gym_config, should_use_nemo_gym

    setup_nemo_gym_config(master, None)
    assert should_use_nemo_gym(master), "env.should_use_nemo_gym is not true"

    from nemo_rl.data.datasets.response_datasets.nemogym_dataset import NemoGymDataset
    from nemo_rl.data.processors import nemo_gym_data_processor
    from nemo_rl.experience.rollouts import _prepare_nemo_gym_rows

    sampling = types.SimpleNamespace(
        temperature=master.policy["generation"]["temperature"], top_p=master.policy["generation"]["top_p"]
    )
    counts, agents, first, problems = {}, set(), None, []
    for part in ("train", "validation"):
        entries = master.data.get(part)
        entries = [entries] if isinstance(entries, dict) else entries or []
        total = 0
        for entry in entries:
            entry = {**(master.data.get("default") or {}), **entry}
            if entry["dataset_name"] != "NemoGymDataset":
                problems.append(
                    f"data.{part}: NeMo RL would load {entry['dataset_name']}, and not {entry.get('data_path')} (data/datasets/utils.py:263)"
                )
                continue
            dataset = NemoGymDataset(**entry)
            for i in range(len(dataset.dataset)):
                spec = nemo_gym_data_processor(dataset.dataset[i], None, None, None, i)
                row = spec["extra_env_info"]
                agents.add(row["agent_ref"]["name"])  # KeyError here is the KeyError in run_rollouts (nemo_gym.py:676)
                _prepare_nemo_gym_rows([row], master.policy["generation"], sampling)
                first = first or {k: v for k, v in row.items() if k != "responses_create_params"} | {
                    "responses_create_params": {
                        k: v for k, v in row["responses_create_params"].items() if k not in ("input", "tools")
                    }
                }
            total += len(dataset.dataset)
        counts[part] = total if entries else None
    problems += _setup_asserts(master, counts["train"], counts["validation"])
    print(
        json.dumps(
            {
                "config": config_file,
                "rows": counts,
                "agents": sorted(agents),
                "first_row_sent": first,
                "env.nemo_gym": dict(master.env["nemo_gym"].items()),
                "vllm_cfg": {
                    k: master.policy["generation"]["vllm_cfg"].get(k)
                    for k in (
                        "async_engine",
                        "expose_http_server",
                        "max_model_len",
                        "http_server_serving_chat_kwargs",
                        "skip_tokenizer_init",
                    )
                },
                "keys no model knows": unknown,
                "problems": problems,
            },
            indent=1,
            default=str,
        )
    )
    sys.exit(1 if problems else 0)


main()
