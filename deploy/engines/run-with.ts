import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '@audiosplit/chassis/errors';
import { onInterruption, signalExitCode } from '../provision/interruption.ts';
import { reportTo } from '../provision/progress.ts';
import { runCommand } from '../provision/run-command.ts';
import { ToolError } from '../provision/run-tool.ts';
import { parseRunWith } from './command-line.ts';
import type { EngineEndpoints } from './engine.ts';
import { environmentOf, testEnvironmentOf } from './environment.ts';
import { startEngines } from './start-engines.ts';
import { stopEngines } from './stop-engines.ts';

/** Exits with the command's exit code after the engines have stopped. */
await runCommand(async (signal) => {
  const { only, command, args } = parseRunWith(process.argv.slice(2));
  const dir = await mkdtemp(join(tmpdir(), 'audiosplit-engines-'));
  const report = reportTo(process.stderr);
  try {
    // Postgres runs under its own account and must be able to enter the folder of its data.
    await chmod(dir, 0o711);
    const endpoints = await startEngines({ dir, only, signal, report });
    signal.throwIfAborted();
    return await run(command, args, endpoints);
  } finally {
    await stopEngines({ dir, report });
    await rm(dir, { recursive: true, force: true });
  }
});

async function run(
  command: string,
  args: readonly string[],
  endpoints: Partial<EngineEndpoints>,
): Promise<number> {
  const child = spawn(command, args, {
    stdio: 'inherit',
    env: { ...process.env, ...environmentOf(endpoints), ...testEnvironmentOf(endpoints) },
  });
  onInterruption((signal) => {
    // On a terminal, Ctrl-C goes to the whole foreground group, so the command has already received it.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  });
  try {
    await once(child, 'close');
  } catch (error) {
    throw new ToolError(`cannot run ${command}: ${messageOf(error)}`);
  }
  return child.signalCode === null ? (child.exitCode ?? 1) : signalExitCode(child.signalCode);
}
