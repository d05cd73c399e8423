import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished, vi } from 'vitest';
import { Screen } from './screen.js';

const GYMGEN = fileURLToPath(new URL('../../bin/gymgen.cjs', import.meta.url));
const RUNNER = fileURLToPath(new URL('./run_in_terminal.py', import.meta.url));

export interface InTerminal {
  screen: Screen;
  /** Waits until the terminal shows a text. */
  shows(text: string | RegExp): Promise<void>;
  type(keys: string): void;
  ended: Promise<number | null>;
}

/** Runs gymgen in a pseudo terminal of Python's, with colors unless NO_COLOR is set. */
export function inTerminal(
  args: string[],
  { columns, cwd, env = {} }: { columns: number; cwd: string; env?: Record<string, string> },
): InTerminal {
  const { NO_COLOR: _, CI: __, ...inherited } = process.env;
  const child = spawn('python3', [RUNNER, String(columns), process.execPath, GYMGEN, ...args], {
    cwd,
    env: { ...inherited, TERM: 'xterm-256color', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill());
  const screen = new Screen(columns);
  child.stdout.setEncoding('utf8').on('data', (text: string) => screen.write(text));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const isShown = (text: string | RegExp) =>
    typeof text === 'string' ? screen.text.includes(text) : text.test(screen.text);
  const shows = (text: string | RegExp) =>
    vi.waitFor(
      () => {
        if (!isShown(text)) throw new Error(`the terminal does not show ${text}:\n${screen.text}`);
      },
      { timeout: 20_000, interval: 20 },
    );
  return { screen, shows, type: (keys) => void child.stdin.write(keys), ended };
}
