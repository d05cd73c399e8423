import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { LineCounter } from 'yaml';
import { z } from 'zod';
import { UserError } from '../errors.js';
import { readRegular } from '../files.js';
import { utf8Text } from '../json/utf8.js';
import { shellQuote } from '../printed-command.js';
import { yamlDocument, yamlValues } from '../yaml-text.js';
import { pythonEnv } from './python-env.js';
import { PROJECT_PROGRAM, serve } from './served.js';
import type { Source, SourceContext } from './types.js';

const Manifest = z.looseObject({
  app: z
    .string()
    .regex(/^[\w.]+:[\w.]+$/, 'wants MODULE:ATTRIBUTE')
    .default('server.app:app'),
  port: z.number().int().min(1).max(65535).default(8000),
});

/** Serves an OpenEnv project with its own app while gymgen runs; for NeMo Gym it is served by whoever runs that. */
export async function openProject(folder: string, { reporter, signal }: SourceContext): Promise<Source> {
  const name = path.basename(folder);
  const { app, port } = await manifest(path.join(folder, 'openenv.yaml'));
  const python = await pythonOf(folder, (text) => reporter.note?.(text), signal);
  reporter.note?.(`serving the OpenEnv project ${name}`);
  const what = `the OpenEnv project ${name}`;
  const served = await serve(python, [PROJECT_PROGRAM, app], { cwd: folder, what, reporter, signal, token: true });
  return {
    url: served.url,
    headers: served.headers,
    server: async () => ({ url: `http://127.0.0.1:${port}` }),
    serve: `uv run --directory ${shellQuote(folder)} uvicorn ${shellQuote(String(served.said.name))} --host 127.0.0.1 --port ${port}`,
    close: served.close,
  };
}

async function manifest(file: string): Promise<z.infer<typeof Manifest>> {
  try {
    const lineCounter = new LineCounter();
    const document = yamlDocument(utf8Text(await readRegular(file, 'configBytes'), file), file, { lineCounter });
    if (document.errors[0]) throw document.errors[0];
    return Manifest.parse(yamlValues(document, file, lineCounter) ?? {});
  } catch (cause) {
    if (cause instanceof UserError) throw cause;
    const why =
      cause instanceof z.ZodError
        ? cause.issues.map((i) => `${i.path.join('.')} ${i.message}`).join('; ')
        : String(cause).split('\n')[0];
    throw new UserError(`openenv.yaml can't be read: ${why}`, { where: file, cause });
  }
}

/** The Python of an environment with what the project asks for: by its pyproject.toml, else by its requirements. */
async function pythonOf(folder: string, say: (text: string) => void, signal: AbortSignal): Promise<string> {
  if (await text(path.join(folder, 'pyproject.toml'))) return await pythonEnv(folder, say, signal);
  for (const file of ['server/requirements.txt', 'requirements.txt'].map((each) => path.join(folder, each))) {
    if (await text(file)) return await pythonEnv(folder, say, signal, file);
  }
  const name = path.basename(folder);
  throw new UserError(`${name} doesn't say what it needs: it has no pyproject.toml and no server/requirements.txt`, {
    where: folder,
    fix: 'serve it yourself, and give its URL',
  });
}

function text(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch(() => null);
}
