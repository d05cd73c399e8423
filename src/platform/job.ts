import { safeJson } from '../display-text.js';
import { namesOf } from '../gym/index.js';
import type { PackagedServer, Target } from './types.js';

export interface JobParts {
  target: Target;
  servers: readonly PackagedServer[];
  workspace: string;
  /** The model's entity, as NAME or WORKSPACE/NAME. */
  model: string;
  environment: string;
  dataset: string;
}

/** Default of `--model`: a name that the Platform rejects, so that no model is trained by mistake. */
export const NO_MODEL = 'YOUR_MODEL';

/** `job.json`: the job that uses the file sets. Training has NeMo Platform's defaults, which the user may add to. */
export function jobText(parts: JobParts): string {
  return `${safeJson(parts.target === 'grpo' ? training(parts) : evaluation(parts), 2)}\n`;
}

/** `RlJobInput` of nemo_rl_plugin/schema.py (nemo-helix 0.8.1). */
function training({ workspace, model, environment, dataset }: JobParts): object {
  return {
    model,
    dataset: `${workspace}/${dataset}`,
    environment: `${workspace}/${environment}`,
    training: { type: 'grpo' },
    output: { name: `${environment}-grpo` },
  };
}

/** An agent-evaluate spec with a `GymRunnerTarget` of nemo_evals/jobs/agent_spec.py (nemo-helix 0.8.1). */
function evaluation({ servers, workspace, model, environment, dataset }: JobParts): object {
  const [server] = servers as [PackagedServer];
  const variables = server.settings.headers.flatMap((value) =>
    [...value.matchAll(/\$\{?([A-Za-z_]\w*)/g)].map((found) => found[1] as string),
  );
  const secrets = variables.map((name) => [name, `${workspace}/${name.toLowerCase().replaceAll('_', '-')}`]);
  return {
    tasks: `${workspace}/${dataset}`,
    target: {
      kind: 'gym',
      environment: `${workspace}/${environment}`,
      source: { component: 'simple_agent', instance: namesOf(server.name).agent },
      resources_server: server.name,
      hydra_params: { policy_model_name: model },
      ...(secrets.length > 0 && { env_secrets: Object.fromEntries(secrets) }),
    },
  };
}
