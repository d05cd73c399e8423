import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { withLock } from '../../../scripts/toolchain.mjs';
import { toolchainEnv } from './toolchain.js';

/**
 * The venvs of NeMo Gym's servers. It makes one for each server, which takes a minute, and takes one that is there. Written
 * servers that ask for the same share the one that NeMo Gym made for the first of them, which is kept in the venv of Gym, so
 * that it goes with it; its own servers ask for no more than what that has.
 */
export class ServerVenvs {
  /**
   * @param home folder of the venv `gym`
   * @param folder where NeMo Gym looks for them, as its `uv_venv_dir`
   */
  constructor(
    private readonly home: string,
    readonly folder: string,
  ) {}

  /** Has one of NeMo Gym's own servers, `<type>/<name>`, run in Gym's venv. */
  shareOwn(server: string): void {
    this.link(server, this.home);
  }

  /**
   * @param written folder of a written server
   * @param make has NeMo Gym make its venv; one test file after another does
   * @returns what `make` returned, where it was called
   */
  async share<T>(written: string, make: () => Promise<T>): Promise<T | undefined> {
    const asked = /^dependencies = .*$/m.exec(readFileSync(join(written, 'pyproject.toml'), 'utf8'));
    const key = createHash('sha256').update(String(asked)).digest('hex').slice(0, 12);
    const venv = join(this.home, 'servers', key, '.venv');
    const isMade = () => existsSync(join(venv, '.nemo-gym-setup-complete'));
    this.link(`resources_servers/${basename(written)}`, venv);
    if (isMade()) return undefined;
    return withLock(`${dirname(venv)}.lock`, async () => {
      if (isMade()) return undefined;
      rmSync(venv, { recursive: true, force: true }); // it wasn't made to its end
      mkdirSync(venv);
      return make();
    });
  }

  private link(server: string, venv: string): void {
    const link = join(this.folder, server, '.venv');
    // Python keeps bytecode by the path that it was started by: what it compiled for one server is there for all.
    const bytecode = toolchainEnv().PYTHONPYCACHEPREFIX as string;
    for (const [from, to] of [
      [link, venv],
      [join(bytecode, link), join(bytecode, venv)],
    ] as const) {
      mkdirSync(to, { recursive: true });
      mkdirSync(dirname(from), { recursive: true });
      rmSync(from, { force: true });
      symlinkSync(to, from);
    }
  }
}
