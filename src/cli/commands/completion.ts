import type { CommandSpec } from '../command.js';

const SHELLS = ['bash', 'zsh', 'fish'];

export const completion: CommandSpec = {
  name: 'completion',
  description: 'Print a script for shell completion of commands and options',
  arguments: [{ name: '<bash|zsh|fish>', help: 'Shell that runs the script', choices: SHELLS }],
  examples: `\
$ source <(gymgen completion bash)                in ~/.bashrc
$ source <(gymgen completion zsh)                 in ~/.zshrc, after compinit
$ gymgen completion fish > ~/.config/fish/completions/gymgen.fish`,
  async run(_, shell = '') {
    const { printScript } = await import('../completion.js');
    printScript(shell);
  },
};
