/**
 * Injects the planned faults, a few at a time if they break different things, and waits for each recovery.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@audiosplit/chassis/errors';
import type { Load } from '../harness/load/load.ts';
import type { ChaosInstallation } from './chaos-installation.ts';
import type { Injection, Struck } from './faults/fault.ts';
import type { ObservedInjection } from './observations.ts';
import { awaitRecovery } from './recovery.ts';
import { claimsOf } from './schedule.ts';

export interface InjectOptions {
  readonly chaos: ChaosInstallation;
  readonly load: Load;
  readonly plan: readonly Injection[];
  /** Maximum number of concurrent injections. */
  readonly atOnce: number;
  /** After it no injection begins. */
  readonly until: AbortSignal;
  readonly tell: (line: string) => void;
}

/** Resolves once everything has recovered, or after the timeout of each recovery. */
export async function injectAll(options: InjectOptions): Promise<ObservedInjection[]> {
  const { chaos, plan, atOnce, until } = options;
  const observed: ObservedInjection[] = [];
  const claimed = new Set<string>();
  const active = new Set<Promise<void>>();
  for (const injection of plan) {
    const claims = claimsOf(injection, chaos.shape);
    while (active.size >= atOnce || claims.some((each) => claimed.has(each))) await Promise.race(active);
    await sleep(injection.pauseMs, undefined, { signal: until }).catch(() => undefined);
    if (until.aborted) break;
    for (const each of claims) claimed.add(each);
    const working = perform(injection, options).then((each) => {
      observed.push(each);
      for (const claim of claims) claimed.delete(claim);
      active.delete(working);
    });
    active.add(working);
  }
  await Promise.all(active);
  return observed.sort((one, other) => one.number - other.number);
}

async function perform(
  injection: Injection,
  { chaos, load, tell, plan }: InjectOptions,
): Promise<ObservedInjection> {
  const { number, fault, target, holdMs } = injection;
  const label = `${String(number).padStart(3)}/${plan.length} ${fault.kind} of ${target}`;
  const runningJobs = (await chaos.jobs.running()).length;
  const fromMs = Date.now();
  const seen = {
    ...{ number, kind: fault.kind, target, isKill: fault.kills ?? false },
    ...{ fromMs, runningJobs, notifications: [] },
  };
  let struck: Struck;
  let proof: string | undefined;
  try {
    struck = await fault.inject(chaos, injection);
    await using lifting = new AsyncDisposableStack();
    lifting.defer(async () => struck.lift?.());
    await sleep(holdMs);
    proof = await struck.proof?.();
  } catch (error) {
    const problem = `not struck: ${messageOf(error)}`;
    tell(`${label}: ${problem}`);
    return { ...seen, toMs: Date.now(), recoveryMs: undefined, problem };
  }
  const { recoveryMs, missing } = await awaitRecovery(chaos, load, struck);
  const problem = recoveryMs === undefined ? `has not recovered: ${missing.join(', ')}` : undefined;
  const outcome = problem ?? `recovered after ${((recoveryMs ?? 0) / 1_000).toFixed(1)} s`;
  tell(`${label}: ${runningJobs} jobs running, ${outcome}${proof === undefined ? '' : ` (${proof})`}`);
  const { notifications = [] } = struck;
  return { ...seen, toMs: Date.now(), recoveryMs, problem, notifications };
}
