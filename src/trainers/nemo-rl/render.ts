import Handlebars from 'handlebars';
import template from '../../../templates/trainers/nemo-rl.yaml.hbs';
import { yamlString, yamlValue } from '../../gym/index.js';
import type { Environment } from '../environments.js';
import type { Base, Plan } from './plan.js';

/** Paths as the config has them. */
export interface ConfigPaths {
  /** Relative to the config. */
  base: string;
  /** Relative to the folder in which NeMo RL runs. */
  rows: (path: string) => string;
}

const handlebars = Handlebars.create();

/** Values reach the template through these helpers, which quote values, or reject values that would need quotes. */
handlebars.registerHelper({
  yaml: (value: unknown) => yamlString(String(value)),
  yamlValue: (value: unknown) => yamlValue(JSON.stringify(value)),
  number: (value: unknown) => only(/^[0-9]+$/, value),
  key: (value: unknown) => only(/^[a-z][a-z0-9_]*$/, value),
});

function only(pattern: RegExp, value: unknown): string {
  const text = String(value);
  if (!pattern.test(text)) throw new Error(`the template of NeMo RL's config got ${JSON.stringify(value)}`);
  return text;
}

/** The text of a config. The templates are strict, so a value that is left out is null. */
export function renderConfig(
  base: Base,
  environments: readonly Environment[],
  plan: Plan,
  { base: defaults, rows }: ConfigPaths,
): string {
  const { length, lora, isValidated } = plan;
  const train = environments.map((environment) => rows(environment.train.path));
  const validation = environments.flatMap((environment) => {
    return environment.validation ? [rows(environment.validation.path)] : [];
  });
  const run = environments.map(({ name }) => name).join('-');
  return handlebars.template(template)({
    ...plan,
    base: defaults,
    isDefault: base.isDefault,
    trainingSteps: plan.trainingSteps ?? null,
    chatTemplate: plan.chatTemplate ?? null,
    batch: plan.batch ?? null,
    length: length.isWritten ? length.tokens : null,
    lengthFrom: length.from ?? null,
    maxNewTokens: plan.maxNewTokens ?? null,
    lora: lora ? { ...lora, isV2: lora.key === 'dtensor_cfg' } : null,
    loraRefit: lora?.refit ?? false,
    gpus: plan.gpus ?? null,
    train,
    manyTrain: train.length > 1,
    validation,
    manyValidation: validation.length > 1,
    configs: environments.map(({ config }) => config),
    checkpointing: base.isDefault || !isValidated,
    logs: `logs/${run}`,
    results: `results/${run}`,
  });
}
