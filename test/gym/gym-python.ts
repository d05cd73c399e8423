import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));

/** The Python of a venv with nemo-gym[dev] 0.7.0. A test that needs it fails where there is none: it would say nothing. */
export function gymPython(): string {
  const python = resolve(REPOSITORY, process.env.GYMGEN_GYM_PYTHON ?? '.venvs/gym/bin/python');
  if (existsSync(python)) return python;
  throw new Error(
    `${python} is missing: this test asks the real NeMo Gym. Make a venv with nemo-gym[dev]==0.7.0, pyright and ruff there, ` +
      'or name one in GYMGEN_GYM_PYTHON (npm test makes it).',
  );
}

/** Runs the programs that it reads, a line of JSON each: what nemo_gym imports takes seconds, once. */
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

/** One for all test files of this process, with which it ends. */
let server: ReturnType<typeof serve> | undefined;

function serve() {
  const child = execa(gymPython(), ['-c', SERVER], { buffer: false, reject: false, stderr: 'inherit' });
  child.unref();
  return { child, answers: child.iterable()[Symbol.asyncIterator]() };
}

/** Runs a Python program in Gym's venv: what it reads as `given` in, what it prints as JSON out. */
export async function askGym<T>(program: string, given: unknown = null): Promise<T> {
  server ??= serve();
  server.child.stdin.write(`${JSON.stringify([program, given])}\n`);
  const { value } = await server.answers.next();
  const { error, printed } = JSON.parse(value ?? '{"error":"it ended"}');
  if (error !== undefined) throw new Error(error);
  return JSON.parse(printed.slice(printed.lastIndexOf('\n') + 1)) as T;
}
