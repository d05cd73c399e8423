import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, vi } from 'vitest';

/** The parts of uv that create an environment: `uv venv … FOLDER` creates the Python. */
export const FAKE_UV =
  'for last; do :; done\nif [ "$1" = venv ]; then mkdir -p "$last/bin"; : > "$last/bin/python"; fi\n';

export interface FakeMachine {
  /** A temporary folder with the cache, the state and PATH's first entry. */
  readonly home: string;
  /** Adds a shell script to PATH. It records its calls. */
  program(name: string, script: string): void;
  /** Recorded calls: working directory, name and arguments. */
  calls(): string[];
}

/** Gives each test of a file a cache, a state folder and programs of its own. Call it at the top of the file. */
export function fakeMachine(): FakeMachine {
  let home = '';
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'gymgen-source-'));
    mkdirSync(join(home, 'bin'));
    vi.stubEnv('XDG_CACHE_HOME', join(home, 'cache'));
    vi.stubEnv('XDG_STATE_HOME', join(home, 'state'));
    vi.stubEnv('PATH', [join(home, 'bin'), '/usr/bin', '/bin'].join(delimiter));
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(home, { recursive: true, force: true });
  });
  return {
    get home() {
      return home;
    },
    program(name, script) {
      const text = `#!/bin/sh\necho "$PWD ${name} $*" >> "${home}/calls"\n${script}`;
      writeFileSync(join(home, 'bin', name), text, { mode: 0o755 });
    },
    calls() {
      const file = join(home, 'calls');
      return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
    },
  };
}
