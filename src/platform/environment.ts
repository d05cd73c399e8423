import manifest from '../../templates/package/nemo-environment.yaml.hbs';
import policyModel from '../../templates/package/policy_model.yaml.hbs';
import requirements from '../../templates/package/requirements.txt.hbs';
import { fillTemplate, namesOf } from '../gym/index.js';
import type { WholeFile } from '../output/index.js';
import type { Format, PackagedServer, Target } from './types.js';

export interface EnvironmentParts {
  format: Exclude<Format, 'adapter-wheels-v1'>;
  target: Target;
  /** The environment's name in the manifest. */
  name: string;
  servers: readonly PackagedServer[];
}

/** The files of a native-v1 or wheels-v1 package, without its wheels. */
export function environmentFiles({ format, target, name, servers }: EnvironmentParts): WholeFile[] {
  const models = format === 'native-v1' ? 'responses_api_models/vllm_model/configs' : 'configs';
  const configs = servers.map((server) => {
    const { folder, config } = namesOf(server.name);
    return { path: `${folder}/${config}`, content: server.config };
  });
  // An evaluation's model belongs to the operator.
  const policy =
    target === 'evals' ? [] : [{ path: `${models}/policy_model.yaml`, content: fillTemplate(policyModel, {}) }];
  const configPaths = [...policy, ...configs].map(({ path }) => path);
  return [
    {
      path: 'nemo-environment.yaml',
      content: fillTemplate(manifest, { format, name, configPaths, adapter: false, vfEnvId: null }),
    },
    ...policy,
    ...configs,
    ...servers.flatMap((server) => {
      const { folder } = namesOf(server.name);
      const text = fillTemplate(requirements, { requirements: [...server.requirements, ...wheelsOf(server)] });
      return [
        { path: `${folder}/requirements.txt`, content: text },
        ...server.files.map(({ path, copy }) => ({ path: `${folder}/${path}`, copy })),
      ];
    }),
  ];
}

const wheelsOf = ({ wheels }: PackagedServer) => wheels.flatMap(({ requirement }) => requirement ?? []);
