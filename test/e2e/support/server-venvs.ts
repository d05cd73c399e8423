import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { withLock } from '../../../scripts/toolchain.mjs';
import { toolchainEnv } from './toolchain.js';

/**
 * The venvs of NeMo Gym's servers. NeMo Gym creates one for each server, which takes a minute, unless it exists.
 * Written servers with the same requirements share the venv of the first of them. It is kept inside Gym's venv, so that
 * it is removed together with it. NeMo Gym's own servers need nothing that Gym's venv lacks.
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

  /** Lets one of NeMo Gym's own servers, `<type>/<name>`, run in Gym's venv. */
  shareOwn(server: string): void {
    this.link(server, this.home);
  }

  /**
   * @param written folder of a written server
   * @param make lets NeMo Gym create its venv; only one test file does this at a time
   * @returns the result of `make`, if it was called
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
      rmSync(venv, { recursive: true, force: true }); // it was not completed
      mkdirSync(venv);
      return make();
    });
  }

  private link(server: string, venv: string): void {
    const link = join(this.folder, server, '.venv');
    // Python stores bytecode by the path of its start, so all servers share the compiled code.
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
