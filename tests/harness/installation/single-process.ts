/** One process of the product, beside an installation or alone. */

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
  /** Of a service, or `gateway`. */
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
    /** Resolves with the exit code; null where a signal ended it. */
    end: running.end.then((end) => end.code),
    /** All that it has written so far. */
    log: () => readFileSync(logFile, 'utf8'),
    /** Needs RPC_PORT, or PORT of the gateway. */
    untilServing: (timeoutMs: number) => untilServing(running, timeoutMs, AbortSignal.timeout(timeoutMs)),
    /** Resolves with the exit code. */
    stop: async (timeoutMs: number) => (await endProgram(running, 'SIGINT', timeoutMs)).code,
  };
}

/** The environment of one more process of an installation; it calls the installation's services and migrates nothing. */
export function environmentBeside({ env, rpcUrls }: ProcessesInstallation): Env {
  const calls = Object.entries(rpcUrls).map(([name, url]) => [`${name.toUpperCase()}_RPC_URL`, url]);
  return { ...env, ...Object.fromEntries(calls), MIGRATE: 'false', HOST: '127.0.0.1', RPC_PORT: '0' };
}
