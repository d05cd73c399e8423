import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { render, TEMPLATES } from '../../src/gym/templates.js';
import { HOSTILE } from './hostile.js';

it('every value in a template has a helper', async () => {
  const files = (await readdir(TEMPLATES, { recursive: true })).filter((file) => file.endsWith('.hbs'));
  expect(files.length).toBeGreaterThan(5);
  for (const file of files) {
    const text = await readFile(join(TEMPLATES, file), 'utf8');
    for (const [mustache, inner] of text.matchAll(/\{\{+([^}]*)\}\}+/g)) {
      expect(inner, `${mustache} in ${file}`).toMatch(
        /^(?:else|#(?:if|unless|each) [\w.]+|\/(?:if|unless|each)|(?:yaml|yamlValue|toml|id|split|tool|number) [\w.]+)$/,
      );
    }
  }
});

it('a missing value is an error', () => {
  expect(() => render('pyproject.toml', {})).toThrow(/expects a string/);
});

it.each(HOSTILE.filter((text) => !/^[a-z]+$/.test(text)))('a name cannot be %j', (text) => {
  expect(() => render('tests/test_app.py', { names: { server: text, agent: 'x' } })).toThrow(/the rules reject/);
});
