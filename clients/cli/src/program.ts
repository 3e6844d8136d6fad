/** The program `audiosplit`: one command of several. */
import type { Actions } from './actions/action.ts';
import type { CommandContext } from './command-context.ts';

interface Command {
  readonly help: string;
  /** Resolves to the exit code. Each command's code is loaded when it is called, so that starts are short. */
  readonly run: (context: CommandContext) => Promise<number>;
}

export const COMMANDS: Readonly<Record<string, Command>> = {
  cut: {
    help: 'cut files on this machine, without a server',
    run: async (context) => (await import('./cut/cut-command.ts')).runCutCommand(context),
  },
  split: {
    help: 'split files or URLs over a server, and download the segments',
    run: async (context) => {
      const { runSplitCommand } = await import('./split/split-command.ts');
      const { readStoredServer } = await import('./login/stored-login.ts');
      return await runSplitCommand({ ...context, defaultServer: await readStoredServer(context.env) });
    },
  },
  stitch: {
    help: 'one transcript of a recording, from those of its segments',
    run: async (context) => (await import('./stitch/stitch-command.ts')).runStitchCommand(context),
  },
  login: {
    help: 'store a server with an API key or a session for the other commands',
    run: async (context) => (await import('./login/login-command.ts')).runLoginCommand(context),
  },
  jobs: {
    help: 'list, show, wait for, download, cancel and delete jobs',
    run: async (context) =>
      runActionsOf('jobs', (await import('./jobs/job-actions.ts')).JOB_ACTIONS, context),
  },
  keys: {
    help: 'list, create, rotate and revoke API keys',
    run: async (context) =>
      runActionsOf('keys', (await import('./account/key-actions.ts')).KEY_ACTIONS, context),
  },
  connections: {
    help: 'list, add, test and remove connections to buckets',
    run: async (context) => {
      const { CONNECTION_ACTIONS } = await import('./connections/connection-actions.ts');
      return runActionsOf('connections', CONNECTION_ACTIONS, context);
    },
  },
  usage: {
    help: 'minutes, jobs and cost of the running period',
    run: async (context) =>
      runActionsOf('usage', (await import('./account/usage-actions.ts')).USAGE_ACTIONS, context),
  },
  webhooks: {
    help: 'listen: events of your jobs here, and signed at a local address',
    run: async (context) =>
      runActionsOf('webhooks', (await import('./webhooks/webhook-actions.ts')).WEBHOOK_ACTIONS, context),
  },
  mcp: {
    help: 'serve the tools for agents by MCP, on standard input and output',
    run: async (context) => {
      const { runMcpCommand } = await import('./mcp/mcp-command.ts');
      const { readStoredServer } = await import('./login/stored-login.ts');
      const [{ version }, defaultServer] = [await readManifest(), await readStoredServer(context.env)];
      return await runMcpCommand({ ...context, version, defaultServer });
    },
  },
  completion: {
    help: 'completion for bash, zsh or fish',
    run: async (context) =>
      (await import('./completion/completion-command.ts')).runCompletionCommand(context),
  },
};

const HELP = `Usage: audiosplit <command> [options]

${Object.entries(COMMANDS)
  .map(([name, { help }]) => `  ${name.padEnd(12)}${help}`)
  .join('\n')}

  audiosplit <command> --help shows the options of one command.
`;

/** Resolves to the exit code. */
export async function runProgram({ args, ...context }: CommandContext): Promise<number> {
  const [name = '', ...rest] = args;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command !== undefined) return await command.run({ ...context, args: rest });
  if (name === '--version') {
    const { version } = await readManifest();
    context.stdout.write(`${version}\n`);
    return 0;
  }
  const isHelp = ['', '--help', '-h', 'help'].includes(name);
  if (!isHelp) context.stderr.write(`audiosplit has no command ${name}\n\n`);
  context[isHelp ? 'stdout' : 'stderr'].write(HELP);
  return isHelp ? 0 : 2;
}

async function runActionsOf(name: string, actions: Actions, context: CommandContext): Promise<number> {
  return (await import('./actions/run-actions.ts')).runActions(name, actions, context);
}

async function readManifest(): Promise<{ readonly version: string }> {
  const { readFile } = await import('node:fs/promises');
  return JSON.parse(await readFile(new URL(import.meta.resolve('audiosplit/package.json')), 'utf8'));
}
