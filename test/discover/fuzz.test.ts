import { expect, test } from 'vitest';
import { UserError } from '../../src/errors.js';
import { discoverAll } from '../support/discovered.js';
import { refuseWarnings } from '../support/leaks.js';
import { dice, mutated, oddJson } from '../support/odd-json.js';
import { days, taskApi } from '../support/served-tasks.js';
import { StandIn } from '../support/stand-in.js';

refuseWarnings();

/** The discovery succeeds or fails with a UserError, and leaves no connection. */
async function survives(server: StandIn): Promise<void> {
  try {
    await discoverAll(server.url, { resetTimeout: 0.3, toolTimeout: 0.3 });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    expect(error.message).not.toContain('[object ');
  }
  await server.idle();
}

const SEEDS = Array.from({ length: 60 }, (_, seed) => seed);

test.each(['/health', '/list_environments', '/splits', '/num_tasks', '/task_range'])(
  'any JSON as a response to %s, or as a part of it',
  async (path) => {
    for (const seed of SEEDS) {
      const roll = dice(seed);
      const server = await StandIn.start({
        splits: { all: days(40) },
        http: (asked, standIn) => {
          if (!asked.path.endsWith(path) || roll(3) === 0) return undefined;
          const { body } = taskApi(standIn, asked) as { body: unknown };
          return { body: roll(3) === 0 ? oddJson(roll) : mutated(body, roll) };
        },
      });
      await survives(server);
      await server.stop();
    }
  },
);

test('any JSON as a frame, or as a part of it', async () => {
  for (const seed of SEEDS) {
    const roll = dice(seed);
    const server = await StandIn.start({
      splits: { all: days(5) },
      ws: (message, session) => {
        if (roll(4) === 0) return roll(2) === 0 ? oddJson(roll) : undefined;
        const usual = session.usual(message);
        return mutated(typeof usual === 'string' ? JSON.parse(usual) : usual, roll);
      },
    });
    await survives(server);
    await server.stop();
  }
});
