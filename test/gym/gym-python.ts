import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));

/** The Python of a venv with nemo-gym[dev] 0.7.0. Without it, tests fail instead of being skipped. */
export function gymPython(): string {
  const python = resolve(REPOSITORY, process.env.GYMGEN_GYM_PYTHON ?? '.venvs/gym/bin/python');
  if (existsSync(python)) return python;
  throw new Error(
    `${python} is missing: this test runs the real NeMo Gym. Create a venv there with nemo-gym[dev]==0.7.0, pyright and ruff, ` +
      'or set GYMGEN_GYM_PYTHON to the Python of another (npm test creates it).',
  );
}

/** Runs programs that it reads as lines of JSON, so that nemo_gym, which takes seconds, is imported only once. */
const SERVER = `
import contextlib, io, json, sys, traceback
for line in sys.stdin:
    program, given = json.loads(line)
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(program, {"json": json, "sys": sys, "given": given})
        answer = {"printed": printed.getvalue()}
    except BaseException:
        answer = {"error": traceback.format_exc()}
    print(json.dumps(answer), flush=True)
`;

/** Shared by all test files of this process. It ends with the process. */
let server: ReturnType<typeof serve> | undefined;

function serve() {
  const child = execa(gymPython(), ['-c', SERVER], { buffer: false, reject: false, stderr: 'inherit' });
  child.unref();
  return { child, answers: child.iterable()[Symbol.asyncIterator]() };
}

/** Runs a Python program in Gym's venv. The program reads `given`; the result is the JSON that it prints. */
export async function askGym<T>(program: string, given: unknown = null): Promise<T> {
  server ??= serve();
  server.child.stdin.write(`${JSON.stringify([program, given])}\n`);
  const { value } = await server.answers.next();
  const { error, printed } = JSON.parse(value ?? '{"error":"it ended"}');
  if (error !== undefined) throw new Error(error);
  return JSON.parse(printed.slice(printed.lastIndexOf('\n') + 1)) as T;
}
