import type { CommandSpec } from '../command.js';

export const play: CommandSpec = {
  name: 'play',
  description: "Play rows of written servers with NeMo Gym, which runs the root's app.py",
  arguments: [
    { name: '<gym-root>', help: 'Gym root, or the folder of one server in resources_servers/' },
    { name: '[names...]', help: 'Names of the servers (default: the only one)' },
  ],
  examples: `\
$ gymgen play gym-root gridsim_v1 --demo --policy idle --limit 20
$ gymgen play gym-root shop_v1 --model-url http://127.0.0.1:8001/v1 --model Qwen/Qwen3-4B --repeats 4
$ gymgen play gym-root shop_v1 --model-url https://api.openai.com/v1 --model gpt-4.1-mini \\
      --model-api-key-env OPENAI_API_KEY

This is the only command that runs code of the Gym root. If the root is not your own, read its app.py first.`,
  exitCodes: { 0: 'played', 1: 'all rollouts are masked', 2: 'the servers or the rollouts failed' },
  async run(flags, target = '', ...names) {
    const [{ run }, operation, { parseFlags }, { playDocument, summaryLines }, { nextPlays }, { EXIT }, { sentence }] =
      await Promise.all([
        import('../run.js'),
        import('../../operations/play.js'),
        import('../../options/flags.js'),
        import('../ui/play.js'),
        import('../ui/next-steps.js'),
        import('../../errors.js'),
        import('../ui/terminal.js'),
      ]);
    await run(flags, async (terminal, signal) => {
      const named = names.flatMap((name) => name ?? []);
      const report = await operation.playServers(target, named, parseFlags(flags), terminal, signal);
      const context = { isIdle: flags.policy === 'idle', isDemo: flags.demo === true };
      for (const line of summaryLines(report, context)) {
        terminal.result(line.startsWith('report: ') ? line : sentence(line));
      }
      const isLast = report.model !== undefined || flags.json;
      for (const line of isLast ? [] : nextPlays([target, ...named], flags)) terminal.note(line);
      terminal.document(playDocument(report));
      if (report.summary.masked === report.summary.rollouts) process.exitCode = EXIT.problems;
    });
  },
};
