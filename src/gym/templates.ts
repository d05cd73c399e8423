import { fileURLToPath } from 'node:url';
import Handlebars from 'handlebars';
import { stringify } from 'smol-toml';
import app from '../../templates/server/app.py.hbs';
import config from '../../templates/server/configs/name.yaml.hbs';
import pyproject from '../../templates/server/pyproject.toml.hbs';
import readme from '../../templates/server/README.md.hbs';
import taskData from '../../templates/server/task_data.py.hbs';
import testApp from '../../templates/server/tests/test_app.py.hbs';
import { escapeCharacter, hiddenCharacters } from '../display-text.js';
import { yamlLiteral, yamlString, yamlValue } from './yaml.js';

/** Next to `src/` and, in the npm package, next to `dist/`. */
export const TEMPLATES = fileURLToPath(new URL('../../templates/server/', import.meta.url));

const COMPILED = {
  'app.py': app,
  'configs/name.yaml': config,
  'pyproject.toml': pyproject,
  'README.md': readme,
  'task_data.py': taskData,
  'tests/test_app.py': testApp,
};

export type Template = keyof typeof COMPILED;

const HIDDEN = hiddenCharacters();
const handlebars = Handlebars.create();

/**
 * Templates write values through these helpers only. `yaml`, `yamlValue` and `toml` quote; the others reject values
 * that would need quotes. They also reject missing values, because Handlebars' `strict` does not check the arguments of
 * helpers.
 */
handlebars.registerHelper({
  yaml: (value: unknown) => yamlString(text(value)),
  /** JSON text. */
  yamlValue: (value: unknown) => yamlValue(text(value)),
  /** JSON text with the values of another config. */
  yamlLiteral: (value: unknown) => yamlLiteral(text(value)),
  /** A line of a requirements file. */
  requirement: (value: unknown) => only(/^[A-Za-z0-9][ -~]*$/, text(value)),
  toml: (value: unknown) =>
    stringify({ x: text(value) })
      .trimEnd()
      .slice('x = '.length)
      .replace(HIDDEN, escapeCharacter),
  /** An instance name or a constant. */
  id: (value: unknown) => only(/^[a-z][a-z0-9_]*$/, text(value)),
  /** A split name that passes `rules/split-names.ts`. */
  split: (value: unknown) => only(/^[A-Za-z0-9_@%+ .-]+$/, text(value)),
  /** A tool name in the rows. */
  tool: (value: unknown) => only(/^[A-Za-z0-9_-]+$/, text(value)),
  number: (value: unknown) => only(/^[0-9]+(?:\.[0-9]+)?$/, String(value)),
});

function text(value: unknown): string {
  if (typeof value !== 'string') throw new Error(`a template expects a string, not ${JSON.stringify(value)}`);
  return value;
}

function only(pattern: RegExp, value: string): string {
  if (!pattern.test(value)) throw new Error(`a template got ${JSON.stringify(value)}, which the rules reject`);
  return value;
}

/** @param file path in `templates/server/`, without `.hbs` */
export function render(file: Template, values: object): string {
  return fillTemplate(COMPILED[file], values);
}

/** Fills in a compiled template of any folder, with the helpers above. */
export function fillTemplate(compiled: TemplateSpecification, values: object): string {
  return handlebars.template(compiled)(values);
}
