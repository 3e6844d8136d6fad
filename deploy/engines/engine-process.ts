import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, renameSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '@audiosplit/chassis/errors';
import type { Launch } from '../provision/launch.ts';
import { identifyProcess, isAlive, type ProcessIdentity } from '../provision/process-identity.ts';
import type { Address, Engine } from './engine.ts';

const readyTimeoutMs = 120_000;
const probeIntervalMs = 100;

/** Starts a program that outlives this process, in a session of its own, so that Ctrl-C does not reach it. */
export async function spawnEngine(
  launch: Launch,
  dataDir: string,
  logFile: string,
): Promise<ProcessIdentity> {
  if (existsSync(logFile)) renameSync(logFile, `${logFile}.previous`);
  const log = openSync(logFile, 'a', 0o600);
  try {
    const child = spawn(launch.command, launch.args, {
      cwd: dataDir,
      detached: true,
      // Without this process's environment: PGPORT, JAVA_TOOL_OPTIONS, VGW_… would affect the program.
      env: { PATH: process.env.PATH ?? '', HOME: dataDir, LANG: 'C.UTF-8', ...launch.environment },
      stdio: ['ignore', log, log],
      ...launch.runAs,
    });
    await once(child, 'spawn');
    child.unref();
    const identity = child.pid === undefined ? null : identifyProcess(child.pid);
    if (identity === null) throw new Error('it ended as soon as it was started');
    return identity;
  } finally {
    closeSync(log);
  }
}

/** Probes until the engine answers. Rejects when its process ends, when aborted, and after two minutes. */
export async function untilReady(
  engine: Engine,
  address: Address,
  identity: ProcessIdentity,
  signal: AbortSignal,
): Promise<void> {
  const deadline = performance.now() + readyTimeoutMs;
  for (;;) {
    signal.throwIfAborted();
    const failure = await probeFailure(engine, address);
    // Checked after the probe: on a port lost to another program, that program may have answered.
    if (!isAlive(identity)) throw new Error('it ended before it was ready');
    if (failure === null) return;
    if (performance.now() > deadline) {
      throw new Error(`it was not ready within ${readyTimeoutMs / 1000} s: ${failure}`);
    }
    await delay(probeIntervalMs, undefined, { signal });
  }
}

/** Null if the engine serves requests, otherwise the reason. */
export async function probeFailure(engine: Engine, address: Address): Promise<string | null> {
  try {
    await engine.probe(address);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

export function logTail(logFile: string, lineCount: number): string {
  if (!existsSync(logFile)) return '';
  return readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-lineCount).join('\n');
}
