/** Names that NeMo Gym 0.7.0 uses. `test/rules/gym-names.python.test.ts` compares them with the installed package. */

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/).filter((word) => word !== ''));
}

/** `NEMO_GYM_RESERVED_TOP_LEVEL_KEYS` (nemo_gym/global_config.py). */
export const RESERVED_KEYS = words(`
  _copy _inherit_from allow_openai_version_skew allow_unsupported_pairing cache_dir component_name config_paths
  default_host disallowed_ports dry_run entrypoint environment_routing_mode environment_server_name
  environment_server_routes head_server head_server_deps hf_token json model_call_capture_dir
  model_endpoint_readiness_timeout_seconds nemo_gym_log_dir observability_enabled pip_install_verbose
  port_range_high port_range_low python_version query ray_head_node_address results_dir
  server_spinup_timeout_seconds skip_venv_if_present skip_verification skip_verification_reward telemetry
  token_id_capture use_absolute_ip uv_cache_dir uv_lock_timeout_seconds uv_pip_set_python uv_venv_dir verbose
`);

/**
 * Fields of Gym's CLI configs (subclasses of `BaseNeMoGymCLIConfig` and `ExporterConfig`, nemo_gym/config_types.py) and of
 * the other models that validate the whole config. An instance with such a name is read as that field.
 */
export const CONFIG_FIELDS = words(`
  agent_map agent_name agent_version allow_partial_rollouts append artifact_fpath atif_manifest_jsonl_fpath
  baseline_agent_name baseline_aggregate_metrics_fpath baseline_rollouts_jsonl_fpath candidate_agent_names
  candidate_aggregate_metrics_fpaths candidate_rollouts_jsonl_fpaths catalog_kind commit_description
  commit_message count_failure_classes_as_zero count_missing_rollouts_as_zero create_pr data_source dataset_name
  delete_from_gitlab delete_venvs_after_each_test disable_aggregation disable_health_check dispatch_budget_s
  dispatch_longest_first drain_margin_s fail_on_total_and_test_mismatch fan_out force format
  global_aiohttp_client_request_debug global_aiohttp_connector_limit global_aiohttp_connector_limit_per_host
  global_aiohttp_intended_concurrency global_aiohttp_intended_concurrency_per_host
  global_aiohttp_tcp_keepalive_idle_seconds global_aiohttp_tcp_keepalive_interval_seconds
  global_aiohttp_tcp_keepalive_probes health_check_ignored_checks health_check_workers hf_collection_name
  hf_collection_slug hf_dataset_prefix hf_organization higher_is_better input_format input_glob
  input_jsonl_fpath interleave_repeats json_format judge_failed_only limit manifest_path
  materialized_inputs_jsonl_fpath max_resident_rollout_tasks merge_shards mlflow_experiment_name mlflow_run_name
  mlflow_tracking_token mlflow_tracking_uri mode num_prepare_benchmark_processes num_repeats
  num_repeats_add_seed num_samples_in_parallel num_shards onboarding_name outdated output_dirpath output_fpath
  output_jsonl_fpath overwrite overwrite_metrics_conflicts prepare_script_args profile profiling_enabled
  profiling_results_dirpath prompt_config repo_id report_format require_complete resource_config_path
  responses_create_params resume_from_cache retain_results_in_memory retry_invalid_judge_responses
  retry_terminal_timeouts reuse_existing_data_preparation reuse_verifier revision reward_range
  rollout_collection_driver rollouts_jsonl_fpath route_failures_to_sidecar scaffold_kind scaffold_name
  session_id setup_only shard_index should_download should_validate_data skills split sync task_data_validation
  update_expected upload_rollouts use_cached_prepared_benchmarks uvicorn_forwarded_allow_ips
  uvicorn_logging_show_200_ok uvicorn_proxy_headers version wandb_api_key wandb_name wandb_project
`);

/** Other top-level keys that Gym's commands read or set (nemo_gym/cli/main.py, global_config.py, config_types.py). */
export const COMMAND_KEYS = words(`
  domain licensing lifecycle modality policy_api_key policy_base_url policy_model_name status strict
  error_on_agent_without_environment_server error_on_almost_servers h help policy_model upload_rollouts_to_wandb
  uvicorn_timeout_worker_healthcheck
`);

/** Folders of `resources_servers/` in the wheel. */
export const BUILT_IN_SERVERS = words(`
  aalcr abstention aegis_v4_safety agentif arc_agi arena arena_judge asr_with_pc assaybench aviary bbq
  bigcodebench bird_sql blackjack browsecomp_advanced_harness bunsenbench_chemistry_mcq calendar circle_click
  circle_count citation_if code_fim code_gen competitive_coding_challenges conversational_tool_use_simulation
  critpt cvdp deepsearchqa deepswe denovo_swe equivalence_llm_judge equivalence_rule ether0 evalplus
  example_mcp_weather example_multi_step example_multi_turn_gymnasium example_session_state_mgmt
  example_single_tool_call example_tool_call_multireward false_statement_judge finance_agent_v2
  finance_sec_search format_verification frontierscience_judge fukuyamabench gdp_pdf gdpval
  generative_reward_model genrm_compare google_search gpqa_diamond graphwalks grl_sokoban grl_tetris
  gui_coordinate gymnasium hotpotqa_qa ifbench iheval image_tools imo_gradingbench imo_proofbench_judge
  indian_banking indirect_prompt_injection instruction_following interactive_browser inverse_if
  jailbreak_detection job_bench labbench2_vlm lc_niah legal_agent_bench litmus_agent longmemeval longmt_eval
  math_advanced_calculations math_formal_lean math_proof_judgement math_with_autograder math_with_code
  math_with_judge mcqa moldetox mrcr multichallenge nemo_user_sim newton_bench ns_tools nvarc omniscience
  openair_congestion openenv osworld over_refusal_detection physics_judge polymath proof_genselect proof_judge
  proof_verification ragtruth reasoning_gym rolemrc ruler ruler2 scale_swe scicode scicodepile sec_local_index
  simpleqa single_step_tool_use_with_argument_comparison spartqa speed_bench spider2_lite string_match
  structeval structured_outputs swe_next swe_pivot swe_rebench swebench swebench_pro swemer_oml swemer_v1
  swemer_v2 swerl_gen swerl_llm_judge tales tavily_search terminal_bench_2_1 terminal_bench_4
  terminal_multi_harness terminus_judge text_to_sql toolsandbox ugphysics_judge verifif vibench vlm_eval_kit
  widesearch wmt_translation wordle workplace_assistant workspace_bench xlam_fc xstest
`);

/** Folders of the wheel for the other types of servers. */
export const BUILT_IN_AGENTS = words(`
  anyswe_agent anyterminal_agent aviary_agent browsecomp_agent claude_code_agent cline_agent codex_agent
  conversational_tool_use critpt_agent cvdp_agent finance_agent gdp_pdf_agent gymnasium_agent harbor_agent
  harbor_agent_general harness_agent harness_exa_search haystack_agent hermes_agent hermes_sandboxed_agent
  image_tools_agent kilocode_agent labbench2_vlm_agent langchain_deepagents_agent langgraph_agent mini_swe_agent
  mini_swe_agent_2 miniswe_sandboxed_agent nemo_fabric_agent non_executing_simple_agent nooa_agent openclaw_agent
  opencode_agent opencode_sandboxed_agent osworld_agent pi_agent pi_sandboxed_agent pinchbench prime_agent
  proof_refinement_agent remote_agent scicode_agent simple_agent simple_agent_with_compaction simple_strands_agent
  speed_bench_agent stirrup_agent swe_agents tau2 terminus_2_agent terminus_2_sandboxed_agent tool_simulation_agent
  toolsandbox_agent vcqa_agent verifiers_agent vibench_agent
`);
export const BUILT_IN_MODELS = words(`
  azure_openai_model genrm_model inference_provider litellm_model local_vllm_model local_vllm_model_proxy openai_model
  switchyard_model vllm_model vllm_model_with_compaction
`);
export const BUILT_IN_ENVIRONMENT_SERVERS = words(`
  legacy_agent nemo_user_sim single_agent_turn single_agent_turn_legacy
`);

/** `Domain` (nemo_gym/config_types.py). */
export const DOMAINS = words(`
  math coding agent knowledge instruction_following long_context safety games translation e2e rlhf other
`);
