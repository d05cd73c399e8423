// Environments of the OpenEnv repository: the options that gymgen needs for each, and how the tests' model plays it.

import type { Move } from '../../src/play/index.js';
import type { GivenRow } from '../e2e/support/run-python.js';
import { FINQA_ANSWER, finqaData } from './support/finqa.js';

export interface Environment {
  /** Its folder in `envs/` of the repository. */
  folder: string;
  /** The tasks file of `--tasks`. Default: `--episodes 10`. */
  tasks?: { file: string; lines: object[] };
  /** More options of gymgen. */
  options: string[];
  /** Environment variables of its server. */
  env?: (work: string) => Record<string, string>;
  /** Sequences of moves for a row. Each rollout takes the next one. Their first moves are all different. */
  plays(row: GivenRow): Move[][];
}

const step = (action: Record<string, unknown>): Move => ({ call: 'step', arguments: action });
const call = (tool: string, args: Record<string, unknown>): Move => ({ call: tool, arguments: args });
const say = (text: string): Move => ({ say: text });
const steps = (field: string, values: readonly unknown[]) => values.map((value) => step({ [field]: value }));
const times = <T>(count: number, value: T) => Array.from({ length: count }, () => value);
const ten = <T>(task: (index: number) => T) => Array.from({ length: 10 }, (_, index) => task(index));

/** The sum that a prompt of reasoning_gym's chain_sum asks for: "… 12 - 3 + 45 =". */
const sumIn = (prompt: string) => {
  const terms = /([\d\s+-]+)=/.exec(prompt)?.[1]?.replaceAll(' ', '') ?? '';
  return (terms.match(/[+-]?\d+/g) ?? []).reduce((sum, term) => sum + Number(term), 0);
};

const promptOf = (row: GivenRow) => row.responses_create_params.input.at(-1)?.content ?? '';

const [UP, DOWN, RIGHT] = [0, 1, 3];

export const ENVIRONMENTS: Environment[] = [
  {
    folder: 'echo_env',
    options: ['--prompt', 'Echo your name, then get its length.', '--max-steps', '4'],
    plays: () => [
      [call('echo_message', { message: 'Ada' }), call('echo_with_length', { message: 'Ada' }), say('Ada, 3')],
      [call('echo_with_length', { message: 'Grace' }), say('Grace, 5')],
      [say('I have no name.')],
    ],
  },
  {
    folder: 'grid_world_env',
    options: ['--prompt', 'Reach the goal in as few moves as you can.', '--max-steps', '20'],
    plays: () => [
      steps('action', ['UP', ...times(4, 'DOWN'), ...times(4, 'RIGHT')]),
      steps('action', [...times(4, 'RIGHT'), ...times(4, 'DOWN')]),
      [...steps('action', ['DOWN', 'DOWN']), say('Far enough.')],
      [step({ action: 'JUMP' }), ...steps('action', [...times(4, 'DOWN'), ...times(4, 'RIGHT')])], // refused
      [say('I would rather stay.')],
    ],
  },
  {
    folder: 'reasoning_gym_env',
    tasks: {
      file: 'chain_sum.jsonl',
      lines: ten((seed) => ({ reset: { dataset_name: 'chain_sum', seed, size: 1 } })),
    },
    options: [],
    plays: (row) => [[step({ answer: String(sumIn(promptOf(row)) + (Number(row.reset.seed) % 2)) })]],
  },
  {
    folder: 'repl_env',
    tasks: {
      file: 'repl.jsonl',
      lines: ten((index) => ({
        reset: { context: 'na'.repeat(index + 1), expected_answer: String(2 * (index + 1)) },
        prompt: `Print the length of context ('na' times ${index + 1}) as FINAL(n).`,
      })),
    },
    options: [],
    plays: ({ reset }) => {
      const answer = String(reset.expected_answer);
      const ways = [
        [step({ code: 'n = len(context)' }), step({ code: "print(f'FINAL({n})')" })],
        [step({ code: '1 / 0' }), step({ code: '', is_final: true, final_answer: answer })],
        [step({ code: "print('FINAL(7)')" })],
      ];
      return [ways[(Number(answer) / 2) % ways.length] as Move[]];
    },
  },
  {
    folder: 'finqa_env',
    tasks: {
      file: 'finqa.jsonl',
      lines: [{ reset: {}, prompt: "What was left of acme's revenue of 2024 after its costs? Submit the number." }],
    },
    options: [],
    env: (work) => ({ FINQA_DATA_PATH: finqaData(work) }),
    plays: () => [
      [call('get_descriptions', { company_name: 'acme' }), call('submit_answer', { answer: FINQA_ANSWER })],
      [call('submit_answer', { answer: '41' })],
      [
        call('sql_query', { company_name: 'acme', table_name: 'income', query: 'SELECT 1' }), // refused
        call('submit_answer', { answer: `\\boxed{${FINQA_ANSWER}}` }),
      ],
      [say(FINQA_ANSWER)],
    ],
  },
  {
    folder: 'maze_env',
    options: [
      ...['--max-steps', '40', '--prompt'],
      'Move from the upper left of an 8 by 8 maze to its lower right. Moves: 0 up, 1 down, 2 left, 3 right.',
    ],
    plays: () => [
      steps('action', [...times(4, RIGHT), DOWN, DOWN, RIGHT, RIGHT, DOWN, RIGHT, ...times(4, DOWN)]),
      [...steps('action', [UP, DOWN, RIGHT, RIGHT]), say('Walls everywhere.')],
      [step({ action: 7 }), ...steps('action', [RIGHT, 2, RIGHT]), say('I am lost.')],
    ],
  },
  {
    folder: 'connect4_env',
    options: [
      ...['--max-steps', '42', '--prompt'],
      'Play both sides of Connect Four, until one of them has four in a row.',
    ],
    plays: () => [
      steps('column', [0, 1, 0, 1, 0, 1, 0]),
      steps('column', [3, 2, 3, 2, 3, 2, 5, 2]),
      [step({ column: 9 })], // loses
      [...steps('column', [6, 6, 6]), say('A draw?')],
      [say('I resign.')],
    ],
  },
  {
    folder: 'wildfire_env',
    options: [
      ...['--max-steps', '30', '--prompt'],
      'Contain the fire. Cells: 0 ash, 1 fuel, 2 fire, 3 break, 4 damp. Actions: break or water (x, y), wait.',
    ],
    plays: () => [
      [...steps('action', times(5, 'wait')), say('It burns.')],
      [step({ action: 'water', x: 3, y: 3 }), step({ action: 'break', x: 5, y: 5 }), say('Done.')],
      [step({ action: 'pray' }), step({ action: 'break', x: 99, y: 0 }), say('Nothing works.')],
    ],
  },
  {
    folder: 'coding_env',
    options: [
      ...['--max-steps', '6', '--prompt'],
      'Print the sum of the first ten squares with short, safe Python code.',
    ],
    plays: () => [
      [step({ code: 'print(sum(n * n for n in range(1, 11)))' }), say('385')],
      [step({ code: 'import os\nprint(os.getcwd())' }), step({ code: 'print(' }), say('I give up.')],
      [step({ code: `total = 0\n${'total += 1\n'.repeat(20)}print(total)` }), say('20')],
    ],
  },
  {
    folder: 'atari_env',
    options: [
      ...['--max-steps', '60', '--prompt'],
      'Play Pong. Actions: 0 noop, 1 fire, 2 right, 3 left, 4 right and fire, 5 left and fire.',
    ],
    plays: () => [
      [...steps('action_id', times(40, 0)), say('Enough.')],
      [...steps('action_id', times(40, 2)), say('Enough.')],
      [step({ action_id: 99 }), step({ action_id: 3 }), say('Enough.')],
    ],
  },
];

/** Environments that gymgen rejects: the reason for the docs, and the error message. */
export const REFUSED: { folder: string; why: string; env?: Record<string, string>; told: RegExp }[] = [
  {
    folder: 'chat_env',
    why: 'no episode starts: its tokenizer must be downloaded (and its action is a list of token numbers)',
    env: { HF_HUB_OFFLINE: '1' },
    told: /could not start an episode/,
  },
  {
    folder: 'dipg_safety_env',
    why: 'every step fails: it returns a `StepResult` instead of an observation',
    told: /every step fails: .*'StepResult' object has no attribute 'model_dump'/,
  },
  {
    folder: 'calendar_env',
    why: 'no session opens: it serves another protocol, without a WebSocket',
    told: /the server refused the WebSocket: HTTP 403[\s\S]*check that it is an OpenEnv server/,
  },
];

/** Environments that are not tested, and why. */
export const NOT_PLAYED: Record<string, string> = {
  agent_world_model_env: 'needs its worlds, which must be downloaded',
  browsergym_env: 'needs a browser',
  carla_env: 'needs the CARLA simulator; its mock mode was not tested',
  chess_env: 'draws a random color at each reset',
  dm_control_env: 'needs a package from GitHub',
  finrl_env: 'needs package versions of 2023, which need an older Python',
  git_env: 'needs a Gitea server',
  julia_env: 'needs Julia',
  kernrl: 'needs a GPU',
  openapp_env: 'needs a browser',
  openspiel_env: 'does not require OpenSpiel, and its app cannot be imported without it',
  snake_env: 'places the snake at random at each reset, whatever the seed',
  sumo_rl_env: 'needs the SUMO simulator',
  tbench2_env: 'needs its tasks, which must be downloaded',
  textarena_env: 'needs its word lists, which must be downloaded',
  unity_env: 'needs a package from GitHub; its environments must be downloaded',
  websearch_env: 'needs an API key of a search engine; with openenv-core 0.3.0, its server has no action schema',
};
