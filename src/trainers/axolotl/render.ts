import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Handlebars from 'handlebars';
import config from '../../../templates/trainers/axolotl/axolotl.yaml.hbs';
import policyModel from '../../../templates/trainers/axolotl/policy_model.yaml.hbs';
import agentConfig from '../../../templates/trainers/axolotl/responses_api_agents/axolotl_agent/configs/name.yaml.hbs';
import rolloutLoop from '../../../templates/trainers/axolotl/rollout_loop.yaml.hbs';
import { plainYamlString, yamlString } from '../../gym/index.js';
import { TRAINER_TEMPLATES } from '../template-folder.js';
import type { AxolotlNames } from './names.js';
import type { AxolotlPlan } from './plan.js';

export interface AxolotlFile {
  /** Relative to the output folder. */
  path: string;
  text: string;
}

const handlebars = Handlebars.create();

/** Values reach the templates through these helpers, which quote values, or reject values that would need quotes. */
handlebars.registerHelper({
  /** For NeMo Gym, which reads configs with OmegaConf. */
  yaml: (value: unknown) => yamlString(String(value)),
  /** For Axolotl. */
  plain: (value: unknown) => plainYamlString(String(value)),
  number: (value: unknown) => only(/^[0-9]+$/, value),
  id: (value: unknown) => only(/^[a-z][a-z0-9_]*$/, value),
});

function only(pattern: RegExp, value: unknown): string {
  const text = String(value);
  if (!pattern.test(text)) throw new Error(`a template of Axolotl's files got ${JSON.stringify(value)}`);
  return text;
}

/** Axolotl's config. @param rows path of the rows, relative to the output folder */
export function renderConfig({ server, config: path }: AxolotlNames, plan: AxolotlPlan, rows: string): AxolotlFile {
  const values = { ...plan, server, rows, loraAlpha: 2 * plan.lora };
  return { path, text: handlebars.template(config)(values) };
}

/** NeMo Gym's model server. */
export function renderPolicyModel({ policyModel: path }: AxolotlNames, plan: AxolotlPlan): AxolotlFile {
  return { path, text: handlebars.template(policyModel)(plan) };
}

/** The arguments of the rollout loop. @param agents URLs by the agents' names */
export function renderRolloutLoop(
  { rolloutLoop: path }: AxolotlNames,
  plan: AxolotlPlan,
  agents: Readonly<Record<string, string>>,
): AxolotlFile {
  const list = Object.entries(agents).map(([name, url]) => ({ name, url }));
  return { path, text: handlebars.template(rolloutLoop)({ ...plan, agents: list }) };
}

/** The agent that plays fixed rows. */
export function agentFiles(
  { server, fixed, agentFolder, agentConfig: path }: AxolotlNames,
  { maxSteps }: AxolotlPlan,
): AxolotlFile[] {
  const text = handlebars.template(agentConfig)({ server, agent: fixed, maxSteps });
  const copied = ['app.py', 'requirements.txt'].map((name) => `${agentFolder}/${name}`);
  return [
    ...copied.map((file) => ({ path: file, text: readFileSync(join(TRAINER_TEMPLATES, 'axolotl', file), 'utf8') })),
    { path, text },
  ];
}
