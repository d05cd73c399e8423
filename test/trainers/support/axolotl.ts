import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

/** A venv with axolotl 0.21.0 and datasets 5.0.1, which scripts/test-trainers.mjs asks for. */
export const AXOLOTL = process.env.AXOLOTL_VENV;

const ORACLES = fileURLToPath(new URL('../oracles', import.meta.url));

/** Runs an oracle with Axolotl's own code. @returns the JSON document or text that it prints, and its exit code */
export async function axolotl(
  oracle: 'axolotl_loader.py' | 'axolotl_play.py' | 'axolotl_config.py',
  ...args: string[]
): Promise<{ stdout: string; exitCode: number | undefined }> {
  const program = join(AXOLOTL as string, 'bin', 'python');
  const { stdout: wheel } = await execa(program, ['-c', 'import sysconfig; print(sysconfig.get_path("purelib"))']);
  const all = [join(ORACLES, oracle), '--wheel', wheel, ...args];
  const { stdout, exitCode } = await execa(program, all, { reject: false });
  return { stdout, exitCode };
}
