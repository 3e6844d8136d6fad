import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { explainFailure } from '../provision/explain-failure.ts';
import { Interrupted, onInterruption, signalExitCode } from '../provision/interruption.ts';
import { reportTo } from '../provision/progress.ts';
import { ToolError } from '../provision/run-tool.ts';
import { parseRunWith, type RunWithArguments } from './command-line.ts';
import type { EngineEndpoints } from './engine.ts';
import { environmentOf, testEnvironmentOf } from './environment.ts';
import { startEngines } from './start-engines.ts';
import { stopEngines } from './stop-engines.ts';

const interruption = new AbortController();
onInterruption((signal) => interruption.abort(new Interrupted(signal)));
try {
  process.exitCode = await runWithEngines(parseRunWith(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`\n${explainFailure(error)}`);
  process.exitCode = error instanceof Interrupted ? error.exitCode : 1;
}

/** Resolves with the exit code of the command, once the engines are gone again. */
async function runWithEngines({ only, command, args }: RunWithArguments): Promise<number> {
  const dir = await mkdtemp(join(tmpdir(), 'audiosplit-engines-'));
  const report = reportTo(process.stderr);
  try {
    // Postgres runs under an account of its own and has to pass through to its data.
    await chmod(dir, 0o711);
    const endpoints = await startEngines({ dir, only, signal: interruption.signal, report });
    return await runCommand(command, args, endpoints);
  } finally {
    await stopEngines({ dir, report });
    await rm(dir, { recursive: true, force: true });
  }
}

async function runCommand(
  command: string,
  args: readonly string[],
  endpoints: Partial<EngineEndpoints>,
): Promise<number> {
  interruption.signal.throwIfAborted();
  const child = spawn(command, args, {
    stdio: 'inherit',
    env: { ...process.env, ...environmentOf(endpoints), ...testEnvironmentOf(endpoints) },
  });
  onInterruption((signal) => {
    // At a terminal Ctrl-C goes to the whole foreground group: the command has it already.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  });
  try {
    await once(child, 'close');
  } catch (error) {
    throw new ToolError(`cannot run ${command}: ${error instanceof Error ? error.message : error}`);
  }
  return child.signalCode === null ? (child.exitCode ?? 1) : signalExitCode(child.signalCode);
}
