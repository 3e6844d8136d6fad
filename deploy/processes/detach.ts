/** Starts the same command again without a terminal, and waits until it is ready. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { makeWritable } from '../embedded/data-dir.ts';
import { logsFolder } from './distributed-system.ts';

/** Resolves with the text to print; throws StartError with the last error of the log. */
export async function runDetached(dataDir: string): Promise<string> {
  const folder = logsFolder(dataDir);
  await makeWritable(dataDir);
  mkdirSync(folder, { recursive: true });
  const logFile = join(folder, 'up.log');
  const output = openSync(logFile, 'w', 0o600);
  const args = [...process.execArgv, ...process.argv.slice(1).filter((arg) => arg !== '--detach')];
  const child = spawn(process.execPath, args, {
    detached: true,
    stdio: ['ignore', output, output, 'ipc'],
  });
  closeSync(output);
  const stop = (signal: NodeJS.Signals) => void child.kill(signal);
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  const ended = once(child, 'exit').then(() => {
    throw new StartError(lastError(readFileSync(logFile, 'utf8')));
  });
  const [text] = await Promise.race([once(child, 'message'), ended]);
  process.off('SIGINT', stop);
  process.off('SIGTERM', stop);
  child.unref();
  return String(text);
}

/** The lines before the error show progress. */
function lastError(log: string): string {
  const start = Math.max(0, log.lastIndexOf('\naudiosplit: '));
  return log
    .slice(start)
    .trim()
    .replace(/^audiosplit: /, '');
}
