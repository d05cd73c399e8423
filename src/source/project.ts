import path from 'node:path';
import { LineCounter } from 'yaml';
import { z } from 'zod';
import { UserError } from '../errors.js';
import { readRegular } from '../files.js';
import { utf8Text } from '../json/utf8.js';
import { shellQuote } from '../printed-command.js';
import { yamlDocument, yamlValues } from '../read-yaml.js';
import { projectPython } from './project-python.js';
import { SERVE_PROJECT, serve } from './serve.js';
import type { Source, SourceContext } from './types.js';

const Manifest = z.looseObject({
  app: z
    .string()
    .regex(/^[\w.]+:[\w.]+$/, 'must be MODULE:ATTRIBUTE')
    .default('server.app:app'),
  port: z.number().int().min(1).max(65535).default(8000),
});

/** Serves an OpenEnv project with its own app, until gymgen ends. For NeMo Gym, the user runs `serveCommand`. */
export async function openProject(folder: string, { reporter, signal }: SourceContext): Promise<Source> {
  const name = `the OpenEnv project ${path.basename(folder)}`;
  const { app, port } = await readManifest(path.join(folder, 'openenv.yaml'));
  const python = await projectPython(folder, reporter, signal);
  reporter.progress({ phase: 'start', what: name });
  const server = await serve(python, [SERVE_PROJECT, app], { cwd: folder, name, reporter, signal, token: true });
  const importable = String(server.announcement.name);
  return {
    url: server.url,
    headers: server.headers,
    server: async () => ({ url: `http://127.0.0.1:${port}` }),
    serveCommand: `uv run --directory ${shellQuote(folder)} uvicorn ${shellQuote(importable)} --host 127.0.0.1 --port ${port}`,
    close: server.close,
  };
}

async function readManifest(file: string): Promise<z.infer<typeof Manifest>> {
  try {
    const lineCounter = new LineCounter();
    const document = yamlDocument(utf8Text(await readRegular(file, 'configBytes'), file), file, { lineCounter });
    if (document.errors[0]) throw document.errors[0];
    return Manifest.parse(yamlValues(document, file, lineCounter) ?? {});
  } catch (cause) {
    if (cause instanceof UserError) throw cause;
    const reason =
      cause instanceof z.ZodError
        ? cause.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`).join('; ')
        : String(cause).split('\n')[0];
    throw new UserError(`invalid openenv.yaml: ${reason}`, { where: file, fix: 'correct the file', cause });
  }
}
