import type { TrainerVerlDocument } from '../../documents/schemas/trainer.js';
import type { TrainerVerlReport } from '../../operations/trainer-verl.js';
import type { Terminal } from './terminal.js';
import { serversOf, showFile, showServers } from './trainer-nemo-rl.js';

const MASKS = 'verl does not read masks: if the environment failed, it trains on the rollout with reward 0';

/** Shows what verl needs: the file, and the overrides for its command. */
export function showTrainerVerl(report: TrainerVerlReport, terminal: Terminal): void {
  const { status, file, text, environments, overrides, commands } = report;
  showServers(environments, terminal);
  terminal.warn(MASKS);
  showFile(report, terminal);
  terminal.note('');
  terminal.note("Next, with these overrides in the recipe's command (recipe/nemo_gym/submit_workplace.sh):");
  for (const command of commands) terminal.note(`  ${command}`);
  terminal.note('  python3 -m verl.trainer.main_ppo … \\');
  for (const [index, override] of overrides.entries()) {
    terminal.note(`    ${override}${index < overrides.length - 1 ? ' \\' : ''}`);
  }
  terminal.document({
    status,
    file,
    ...(status === 'planned' ? { config: text } : {}),
    servers: serversOf(environments),
    commands,
    overrides,
  } satisfies TrainerVerlDocument);
}
