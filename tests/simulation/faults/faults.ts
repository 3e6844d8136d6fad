/**
 * The faults at the ports. A call may be refused, may take effect while its caller receives an error, or may
 * take very long, and its caller may die the moment the call is done. Each port's failure rate is drawn for
 * each seed (swarm testing: a fault that every run has leaves no run without it).
 */
import { currentProcess } from '../world/process.ts';
import type { World } from '../world/world.ts';

export const PORTS = [
  'database statement',
  'database commit',
  'rpc',
  'bus publish',
  'bus acknowledgement',
  'object put',
  'object get',
  'object delete',
  'object list',
  'payment charge',
  'payment file',
  'webhook post',
  'source request',
] as const;
export type Port = (typeof PORTS)[number];

type CallOutcome = 'done' | 'refused' | 'done, but the caller saw a failure';

export type Faults = ReturnType<typeof createFaults>;

const RATES = [0, 0.02, 0.05, 0.15];
const HANG_RATES = [0, 0.01, 0.05];
const KILL_RATES = [0, 0, 0.005, 0.02];
const MAX_HANG_MS = 120_000;
/** The share of hanging calls whose caller is suspended too: it sends nothing until long after. */
const FREEZE_RATE = 0.5;

export function createFaults(world: World) {
  const { random } = world;
  const rates = new Map(PORTS.map((port) => [port, random.pick(RATES)]));
  const hangRate = random.pick(HANG_RATES);
  const killRate = random.pick(KILL_RATES);
  const injected = new Map<string, number>();
  let on = true;
  let calls = 0;
  const note = (kind: string) => injected.set(kind, (injected.get(kind) ?? 0) + 1);
  return {
    injected: injected as ReadonlyMap<string, number>,
    callsMade: () => calls,
    areOn: () => on,
    note,
    /** Draws the outcome of a call. */
    outcomeOf(port: Port): CallOutcome {
      calls += 1;
      const goesWrong = random.chance(rates.get(port) ?? 0);
      const isDone = random.chance(0.5);
      if (!on || !goesWrong) return 'done';
      const outcome = isDone ? 'done, but the caller saw a failure' : 'refused';
      note(`${port}: ${outcome}`);
      return outcome;
    },
    /** Whether the caller dies when its call is done. */
    killsCaller() {
      const kills = random.chance(killRate);
      if (on && kills) note('a caller is killed as its call is done');
      return on && kills;
    },
    /** How long a call is in transit. */
    latencyMs() {
      const usual = random.between(1, 40);
      const hangs = random.chance(hangRate);
      const freezes = random.chance(FREEZE_RATE);
      const long = random.between(2_000, MAX_HANG_MS);
      if (!on || !hangs) return usual;
      note('a call hangs');
      const caller = currentProcess();
      if (caller !== undefined && freezes) {
        note('a caller freezes with its call in flight');
        caller.freezeUntil(world.nowMs() + long + random.between(0, MAX_HANG_MS / 2));
      }
      return long;
    },
    /** From then on every call succeeds. */
    heal() {
      on = false;
    },
    /** Calls fail again as before. */
    flare() {
      on = true;
    },
  };
}

/** The error that a caller sees when a call was refused or its response was lost. */
export class InjectedFaultError extends Error {
  override readonly name = 'InjectedFaultError';
}

/** May end the running process at this point: nothing of it happens after the call that it has made. */
export function dieOrGoOn({ world, faults }: PortAccess): Promise<void> | undefined {
  const caller = currentProcess();
  if (caller === undefined || !faults.killsCaller()) return undefined;
  world.record(`${caller.name} is killed with its call done`);
  caller.kill();
  return new Promise(() => {});
}

export interface PortAccess {
  readonly world: World;
  readonly faults: Faults;
}

/** One call at a port: its latency, its effect if any, then the outcome that the caller sees. */
export async function callPort<T>(
  { world, faults }: PortAccess,
  port: Port,
  what: string,
  effect: () => Promise<T> | T,
): Promise<T> {
  await world.delay(faults.latencyMs());
  const outcome = faults.outcomeOf(port);
  world.record(`${port} ${what}: ${outcome}`);
  if (outcome === 'refused') throw new InjectedFaultError(`${port} ${what} was refused`);
  const result = await effect();
  await dieOrGoOn({ world, faults });
  if (outcome === 'done') return result;
  await world.delay(faults.latencyMs());
  throw new InjectedFaultError(`${port} ${what} timed out`);
}
