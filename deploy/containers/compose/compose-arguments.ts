import { join } from 'node:path';

/** Compose's own; what else is given belongs to `up`. */
const COMMANDS = new Set([
  ...['up', 'down', 'start', 'stop', 'restart', 'kill', 'rm', 'pause', 'unpause'],
  ...['ps', 'logs', 'top', 'stats', 'events', 'images', 'port', 'volumes', 'ls', 'config'],
  ...['build', 'pull', 'run', 'exec'],
]);

export function needsImages(args: readonly string[]): boolean {
  return (commandOf(args) ?? 'up') === 'up';
}

export function composeArguments(
  project: string,
  secretsFile: string,
  args: readonly string[],
): readonly string[] {
  const command = commandOf(args) === undefined ? ['up', '--no-build', ...args] : withoutBuild(args);
  return ['--file', join(project, 'compose.yaml'), '--env-file', secretsFile, ...command];
}

function commandOf(args: readonly string[]): string | undefined {
  const [first] = args;
  return first !== undefined && COMMANDS.has(first) ? first : undefined;
}

/** They have been built. */
function withoutBuild(args: readonly string[]): readonly string[] {
  return args[0] === 'up' && !args.includes('--build') ? ['up', '--no-build', ...args.slice(1)] : args;
}
