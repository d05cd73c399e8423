import Handlebars from 'handlebars';
import template from '../../../templates/trainers/verl.yaml.hbs';
import type { Environment } from '../environments.js';

/** The file that the recipe reads. Names of servers are identifiers, so nothing in it needs quotes. */
export function renderServers(environments: readonly Environment[]): string {
  return Handlebars.create().template(template)({ configs: environments.map(({ config }) => config) });
}
