import { join } from 'node:path';

/** Commands of Compose; any other argument is passed to `up`. */
const COMMANDS = new Set([
  ...['up', 'down', 'start', 'stop', 'restart', 'kill', 'rm', 'pause', 'unpause'],
  ...['ps', 'logs', 'top', 'stats', 'events', 'images', 'port', 'volumes', 'ls', 'config'],
  ...['build', 'pull', 'run', 'exec'],
]);

export function needsImages(args: readonly string[]): boolean {
  return withCommand(args)[0] === 'up';
}

export function composeArguments(
  project: string,
  secretsFile: string,
  args: readonly string[],
): readonly string[] {
  const [command = '', ...rest] = withCommand(args);
  // The images have been built already.
  const options = command === 'up' && !rest.includes('--build') ? ['--no-build'] : [];
  const file = join(project, 'compose.yaml');
  return ['--file', file, '--env-file', secretsFile, command, ...options, ...rest];
}

function withCommand(args: readonly string[]): readonly string[] {
  return COMMANDS.has(args[0] ?? '') ? args : ['up', ...args];
}
