/** One process of the product, alone or in addition to an installation. */

import { readFileSync } from 'node:fs';
import { environmentOfProcess } from '@audiosplit/chassis/identity/identity-environment';
import type { Env } from '@audiosplit/chassis/process/env';
import type { Process } from '@audiosplit/proto/callers';
import { createProcessLog } from '../../../deploy/processes/process/process-log.ts';
import { httpReadiness, rpcReadiness } from '../../../deploy/processes/process/readiness.ts';
import { endProgram, runProgram, untilServing } from '../../../deploy/processes/process/running-process.ts';
import { type CodeForm, entryOf, rpcUrl } from '../../../deploy/processes/process-plan.ts';
import type { ProcessesInstallation } from './processes.ts';

interface SingleProcessOptions {
  /** The name of a service, or `gateway`. */
  readonly name: Process;
  readonly code: CodeForm;
  readonly env: Env;
  /** Emptied at the start. */
  readonly logFile: string;
}

export function startSingleProcess({ name, code, env, logFile }: SingleProcessOptions) {
  const check =
    name === 'gateway'
      ? httpReadiness(`http://127.0.0.1:${env.PORT}/healthz`)
      : rpcReadiness(rpcUrl(Number(env.RPC_PORT)));
  const running = runProgram(createProcessLog(logFile), {
    ...entryOf(name, code),
    env: environmentOfProcess(env, name),
    check,
  });
  return {
    /** Resolves with the exit code; null if a signal ended it. */
    end: running.end.then((end) => end.code),
    /** Everything that it has written so far. */
    log: () => readFileSync(logFile, 'utf8'),
    /** Requires RPC_PORT, or PORT for the gateway. */
    untilServing: (timeoutMs: number) => untilServing(running, timeoutMs, AbortSignal.timeout(timeoutMs)),
    /** Resolves with the exit code. */
    stop: async (timeoutMs: number) => (await endProgram(running, 'SIGINT', timeoutMs)).code,
  };
}

/**
 * The environment of an additional process of an installation; it calls the installation's services and runs
 * no migrations.
 */
export function environmentBeside({ env, rpcUrls }: ProcessesInstallation): Env {
  const calls = Object.entries(rpcUrls).map(([name, url]) => [`${name.toUpperCase()}_RPC_URL`, url]);
  return { ...env, ...Object.fromEntries(calls), MIGRATE: 'false', HOST: '127.0.0.1', RPC_PORT: '0' };
}
