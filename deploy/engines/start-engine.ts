import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@audiosplit/chassis/errors';
import { freePort, isPortFree } from '../provision/free-port.ts';
import { isAlive, terminate } from '../provision/process-identity.ts';
import { type Report, reportedTask, seconds } from '../provision/progress.ts';
import type { Engine, EngineName, EngineRecord, ProxiedListener, SecuredListener } from './engine.ts';
import { logTail, probeFailure, spawnEngine, untilReady } from './engine-process.ts';

/** One engine did not start; the engines started with it have been stopped. */
class EngineStartError extends Error {
  override readonly name = 'EngineStartError';
  /** The last 20 lines. */
  readonly logTail: string;
  /** For a person at a terminal. */
  readonly explanation: string;

  constructor(engine: EngineName, logFile: string, cause: unknown) {
    super(`${engine} did not start: ${messageOf(cause)}`, { cause });
    this.logTail = logTail(logFile, 20);
    this.explanation = `${this.message}
--- last lines of ${logFile}
${this.logTail}
---
Whatever was started with it has been stopped. Fix what the log complains of and run the same command again;
to begin with empty data, run npm run down -- engines (with the same --dir) before.
`;
  }
}

export const stopGraceMs = 10_000;

/**
 * Another program may take a free port between its choice and its use; more than a few times is no accident.
 */
const maximumAttempts = 3;

interface EngineStart {
  readonly engine: Engine;
  readonly dir: string;
  readonly previous: EngineRecord | undefined;
  readonly proxied?: ProxiedListener | undefined;
  readonly secured?: SecuredListener | undefined;
  readonly restricted?: boolean | undefined;
  readonly signal: AbortSignal;
  readonly report: Report;
  /**
   * Called before the data is set up, and again as soon as there is a process, so that both can be found
   * after any failure.
   */
  readonly onChange: (record: EngineRecord) => void;
}

/** Leaves a healthy engine alone, and starts one that is dead, unresponsive or was never started. */
export async function startEngine(start: EngineStart): Promise<void> {
  const { engine, previous, report } = start;
  const startedMs = performance.now();
  if (previous?.process && isAlive(previous.process)) {
    const isAsAsked = (start.restricted ?? previous.restricted) === previous.restricted;
    const failure = await probeFailure(engine, previous);
    if (failure === null && isAsAsked) {
      // The permissions may have changed since, or may not have been set at all.
      if (previous.restricted === true) await engine.restrict?.(previous);
      report(engine.name, `already running on 127.0.0.1:${previous.port} (pid ${previous.process.pid})`);
      return;
    }
    const reason = failure === null ? 'runs with other restrictions' : `does not answer (${failure})`;
    report(engine.name, `${reason}, is stopped and started again`);
    await terminate(previous.process, engine.stopSignal, stopGraceMs);
  } else if (previous?.process) {
    report(engine.name, `has died since (pid ${previous.process.pid}), is started again`);
  }

  let latest = previous;
  const onChange = (record: EngineRecord) => {
    latest = record;
    start.onChange(record);
  };
  for (let attempt = 1; ; attempt += 1) {
    try {
      const record = await attemptStart({ ...start, previous: latest, onChange });
      report(
        engine.name,
        `ready on 127.0.0.1:${record.port} (pid ${record.process?.pid}) after ${seconds(startedMs)}`,
      );
      return;
    } catch (error) {
      const isPortLost = error instanceof EngineStartError && /address already in use/i.test(error.logTail);
      if (!isPortLost || attempt === maximumAttempts) throw error;
      report(engine.name, 'its port has just been taken by another program, is tried on another one');
    }
  }
}

async function attemptStart(start: EngineStart): Promise<EngineRecord> {
  const { engine, dir, previous, signal, report, onChange } = start;
  const {
    proxied = previous?.proxied,
    secured = previous?.secured,
    restricted = previous?.restricted,
  } = start;
  const task = reportedTask(engine.name, report, signal);
  const isOldPortFree = previous !== undefined && (await isPortFree(previous.port));
  const address = {
    port: isOldPortFree ? previous.port : await freePort(),
    secret: previous?.secret ?? randomBytes(16).toString('hex'),
    proxied,
    secured,
    restricted,
  };
  const stopped: EngineRecord = {
    ...address,
    process: null,
    dataDir: previous?.dataDir ?? (await placeData(engine, dir)),
    logFile: join(dir, `${engine.name}.log`),
    endpoints: engine.endpoints(address),
  };
  // Recorded before it is used: the data depends on the secret, and a clean-up must find the data.
  onChange(stopped);
  const launch = await engine.prepare({ ...address, dataDir: stopped.dataDir, task });

  signal.throwIfAborted();
  try {
    const identity = await spawnEngine(launch, stopped.dataDir, stopped.logFile);
    const running: EngineRecord = { ...stopped, process: identity };
    onChange(running);
    await task.step('waiting until it answers', () => untilReady(engine, address, identity, signal));
    if (restricted === true) await engine.restrict?.(address);
    return running;
  } catch (error) {
    signal.throwIfAborted();
    throw new EngineStartError(engine.name, stopped.logFile, error);
  }
}

async function placeData(engine: Engine, stateDir: string): Promise<string> {
  if (engine.placeData) return engine.placeData(stateDir);
  const dataDir = join(stateDir, engine.name);
  await mkdir(dataDir, { recursive: true });
  return dataDir;
}
