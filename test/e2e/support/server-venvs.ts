import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from '../../../scripts/toolchain.mjs';
import { REPOSITORY } from './toolchain.js';

/**
 * The venvs that NeMo Gym makes for its servers, which take a minute: they are kept in the venv of Gym, so that they go with
 * it, and by what a written server asks for.
 */
export class ServerVenvs {
  readonly folder: string;

  /** @param home folder of the venv `gym` */
  constructor(home: string) {
    const asked = readFileSync(join(REPOSITORY, 'templates/server/pyproject.toml.hbs'));
    this.folder = join(home, 'servers', createHash('sha256').update(asked).digest('hex').slice(0, 12));
  }

  /**
   * Does what makes these servers' venvs where there are none. Test files that run side by side do that one after another,
   * and make again what was not made to its end.
   * @param servers `<type>/<name>`
   */
  async during<T>(servers: string[], work: () => Promise<T>): Promise<T> {
    const missing = () => servers.map((server) => join(this.folder, server, '.venv')).filter((venv) => !isMade(venv));
    if (missing().length === 0) return work();
    return withLock(`${this.folder}.lock`, () => {
      for (const venv of missing()) rmSync(venv, { recursive: true, force: true });
      return work();
    });
  }
}

const isMade = (venv: string) => existsSync(join(venv, '.nemo-gym-setup-complete'));
