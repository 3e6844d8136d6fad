import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { repositoryRoot } from '../../../deploy/launcher.mjs';

/** Runs Node with the outputs of this process, passes signals on, and resolves with its exit code. */
export async function runNode(
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  const child = spawn(process.execPath, args, { cwd: repositoryRoot, stdio: 'inherit', env });
  // A terminal sends Ctrl-C to the child as well.
  const pass = (signal: NodeJS.Signals) =>
    (signal !== 'SIGINT' || !process.stdin.isTTY) && child.kill(signal);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, pass);
  const [code] = (await once(child, 'exit')) as [number | null];
  for (const signal of signals) process.off(signal, pass);
  return code ?? 1;
}
