import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Env } from '@audiosplit/chassis/process/env';
import { newcomersEnvironment } from './environment.ts';
import type { Exit } from './product.ts';

/** Runs a command to its end, as typed by a newcomer in `cwd`. */
export async function runCommand(
  [file, ...args]: readonly [string, ...string[]],
  options: { readonly cwd: string; readonly env?: Env; readonly stdin?: string | Uint8Array },
): Promise<Exit> {
  const child = spawn(file, args, {
    cwd: options.cwd,
    env: newcomersEnvironment(options.env),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.stdin ?? '');
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { code, signal, stdout, stderr };
}
