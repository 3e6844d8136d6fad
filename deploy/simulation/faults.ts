/**
 * What goes wrong at the ports. A call may be refused, may take effect while its caller hears of a failure, and may take
 * very long. How often each port fails is drawn for each seed (swarm testing: what every run has, no run is without).
 */
import { currentProcess } from './simulated-process.ts';
import type { World } from './world.ts';

export const PORTS = [
  'database statement',
  'database commit',
  'rpc',
  'bus publish',
  'bus acknowledgement',
  'object put',
  'object delete',
  'payment charge',
  'webhook post',
] as const;
export type Port = (typeof PORTS)[number];

export type Fate = 'done' | 'refused' | 'done, but the caller saw a failure';

export interface Faults {
  /** Draws what becomes of a call. */
  fateOf(port: Port): Fate;
  /** Milliseconds that a call is on its way. */
  latencyMs(): number;
  note(kind: string): void;
  /** From then on every call goes well. */
  heal(): void;
  /** They fail again as they did. */
  flare(): void;
  areOn(): boolean;
  readonly injected: ReadonlyMap<string, number>;
  callsMade(): number;
}

const RATES = [0, 0.02, 0.05, 0.15];
const HANG_RATES = [0, 0.01, 0.05];
const MAX_HANG_MS = 120_000;
/** Of the calls that hang, those whose caller stands still as well: it says nothing more until long after. */
const FREEZE_RATE = 0.5;

export function createFaults(world: World): Faults {
  const { random } = world;
  const rates = new Map(PORTS.map((port) => [port, random.pick(RATES)]));
  const hangRate = random.pick(HANG_RATES);
  const injected = new Map<string, number>();
  let on = true;
  let calls = 0;
  const note = (kind: string) => injected.set(kind, (injected.get(kind) ?? 0) + 1);
  return {
    injected,
    callsMade: () => calls,
    areOn: () => on,
    note,
    fateOf(port) {
      calls += 1;
      const goesWrong = random.chance(rates.get(port) ?? 0);
      const isDone = random.chance(0.5);
      if (!on || !goesWrong) return 'done';
      const fate = isDone ? 'done, but the caller saw a failure' : 'refused';
      note(`${port}: ${fate}`);
      return fate;
    },
    latencyMs() {
      const usual = random.between(1, 40);
      const hangs = random.chance(hangRate);
      const freezes = random.chance(FREEZE_RATE);
      const long = random.between(2_000, MAX_HANG_MS);
      if (!on || !hangs) return usual;
      note('a call hangs');
      const caller = currentProcess();
      if (caller !== undefined && freezes) {
        note('a caller freezes with its call under way');
        caller.freezeUntil(world.nowMs() + long + random.between(0, MAX_HANG_MS / 2));
      }
      return long;
    },
    heal() {
      on = false;
    },
    flare() {
      on = true;
    },
  };
}

/** What a caller sees of a call that was refused or whose answer was lost. */
export class InjectedFaultError extends Error {
  override readonly name = 'InjectedFaultError';
}

/** One call at a port: under way, then done or not, then what the caller sees of it. */
export async function callPort<T>(
  { world, faults }: { readonly world: World; readonly faults: Faults },
  port: Port,
  what: string,
  effect: () => Promise<T> | T,
): Promise<T> {
  await world.delay(faults.latencyMs());
  const fate = faults.fateOf(port);
  world.record(`${port} ${what}: ${fate}`);
  if (fate === 'refused') throw new InjectedFaultError(`${port} ${what} was refused`);
  const result = await effect();
  if (fate === 'done') return result;
  await world.delay(faults.latencyMs());
  throw new InjectedFaultError(`${port} ${what} timed out`);
}
