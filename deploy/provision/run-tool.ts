import { spawn } from 'node:child_process';
import { addAbortListener, once } from 'node:events';
import type { Account } from './launch.ts';

/** A required program has failed; the message ends with its last output. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

interface ToolOptions {
  readonly signal: AbortSignal;
  readonly cwd?: string;
  /** Added to this process's own environment. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly runAs?: Account;
  readonly stdin?: string;
}

/**
 * Runs a program until it ends and resolves with its output on stdout and stderr.
 *
 * Rejects with a ToolError that contains the last 20 lines of it if the exit code is not 0, and with the
 * signal's reason if aborted.
 */
export async function runTool(
  command: string,
  args: readonly string[],
  { signal, cwd, environment, runAs, stdin }: ToolOptions,
): Promise<string> {
  signal.throwIfAborted();
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...environment },
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    ...runAs,
  });
  using _stop = addAbortListener(signal, () => child.kill('SIGTERM'));
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk));
  }
  // A program that ends without reading its input is judged by its exit code alone.
  child.stdin?.on('error', () => {}).end(stdin);
  const [code, endSignal] = await once(child, 'close');
  signal.throwIfAborted();
  const output = chunks.join('');
  if (code === 0) return output;
  const tail = output.trimEnd().split('\n').slice(-20).join('\n');
  throw new ToolError(`${command} ${args[0] ?? ''} failed (${endSignal ?? `exit code ${code}`}):\n${tail}`);
}
