import type { CommandContext } from '../command-context.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { SCRIPTS } from './scripts.ts';
import { SHELLS, VOCABULARY } from './vocabulary.ts';

const HELP = `Usage: audiosplit completion ${SHELLS.join('|')}

Prints the script by which a shell completes commands and options:

  bash  source <(audiosplit completion bash)                                   in ~/.bashrc
  zsh   source <(audiosplit completion zsh)                                    in ~/.zshrc, below compinit
  fish  audiosplit completion fish > ~/.config/fish/completions/audiosplit.fish
`;

/** Resolves to the exit code. */
export async function runCompletionCommand({ args, stdout, stderr }: CommandContext): Promise<number> {
  const shell = SHELLS.find((each) => each === args[0]);
  if (shell !== undefined && args.length === 1) {
    stdout.write(SCRIPTS[shell](VOCABULARY));
    return EXIT_CODES.ok;
  }
  const isHelp = args.includes('--help') || args.includes('-h');
  (isHelp ? stdout : stderr).write(HELP);
  return isHelp ? EXIT_CODES.ok : EXIT_CODES.misused;
}
