/** Starts the same command again without a terminal, and waits until it is ready. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '@audiosplit/chassis/errors';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { logsFolder } from './distributed-system.ts';

/** Resolves with the text to print; throws StartError with the last error of the log. */
export async function runDetached(dataDir: string): Promise<string> {
  const logFile = join(openFolder(dataDir), 'up.log');
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
  const outcome = await Promise.race([
    once(child, 'message').then(([text]) => ({ kind: 'ready', text: String(text) }) as const),
    once(child, 'exit').then(() => ({ kind: 'ended' }) as const),
  ]);
  process.off('SIGINT', stop);
  process.off('SIGTERM', stop);
  if (outcome.kind === 'ended') throw new StartError(lastError(readFileSync(logFile, 'utf8')));
  child.unref();
  return outcome.text;
}

function openFolder(dataDir: string): string {
  const folder = logsFolder(dataDir);
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new StartError(
      `DATA_DIR ${dataDir} cannot be written to (${messageOf(error)}): set DATA_DIR to a folder of yours`,
    );
  }
  return folder;
}

/** The lines before the error are progress. */
function lastError(log: string): string {
  const start = log.lastIndexOf('\naudiosplit: ');
  return (start === -1 ? log : log.slice(start + '\naudiosplit: '.length))
    .replace(/^audiosplit: /, '')
    .trim();
}
