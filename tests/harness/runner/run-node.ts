import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { repositoryRoot } from '../../../deploy/launcher.mjs';

/**
 * Runs Node, forwards signals, and resolves with its exit code. `output` is a file descriptor for both
 * outputs; by default this process's outputs.
 */
export async function runNode(
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
  output: 'inherit' | number = 'inherit',
): Promise<number> {
  const child = spawn(process.execPath, args, {
    cwd: repositoryRoot,
    stdio: ['inherit', output, output],
    env,
  });
  // A terminal sends Ctrl-C to the child too.
  const pass = (signal: NodeJS.Signals) =>
    (signal !== 'SIGINT' || !process.stdin.isTTY) && child.kill(signal);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, pass);
  const [code] = (await once(child, 'exit')) as [number | null];
  for (const signal of signals) process.off(signal, pass);
  return code ?? 1;
}
