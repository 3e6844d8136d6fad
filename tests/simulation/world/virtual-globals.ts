/**
 * Replaces the machine's time and randomness with a world's, for code that uses them through the globals and
 * Node's own modules. Outside a world nothing changes.
 */
import crypto from 'node:crypto';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import type { World, WorldEvent } from './world.ts';

let entered: World | undefined;

/** Replaces the globals once per process; `undefined` leaves the world. */
export function enterWorld(world: World | undefined): void {
  install();
  entered = world;
}

const RealDate = Date;
const real = {
  setTimeout: globalThis.setTimeout,
  setInterval: globalThis.setInterval,
  clearTimeout: globalThis.clearTimeout,
  clearInterval: globalThis.clearInterval,
  performanceNow: performance.now.bind(performance),
  sleep: timers.setTimeout,
  abortAfter: AbortSignal.timeout.bind(AbortSignal),
  randomBytes: crypto.randomBytes,
  randomUUID: crypto.randomUUID,
  random: Math.random,
};

class VirtualDate extends RealDate {
  constructor(...parts: readonly unknown[]) {
    super(...((parts.length === 0 ? [VirtualDate.now()] : parts) as ConstructorParameters<typeof Date>));
  }
  static override now(): number {
    return entered?.clockMs() ?? RealDate.now();
  }
}

class VirtualTimer {
  event: WorldEvent;
  constructor(event: WorldEvent) {
    this.event = event;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return true;
  }
  [Symbol.dispose](): void {
    this.event.canceled = true;
  }
}

type Callback = (...args: unknown[]) => void;

function virtualTimeout(callback: Callback, ms = 1, ...args: unknown[]): unknown {
  if (entered === undefined) return real.setTimeout(callback, ms, ...args);
  return new VirtualTimer(entered.schedule(Math.max(1, ms), () => callback(...args)));
}

function virtualInterval(callback: Callback, ms = 1, ...args: unknown[]): unknown {
  const world = entered;
  if (world === undefined) return real.setInterval(callback, ms, ...args);
  const everyMs = Math.max(1, ms);
  const tick = () => {
    timer.event = world.schedule(everyMs, tick);
    callback(...args);
  };
  const timer = new VirtualTimer(world.schedule(everyMs, tick));
  return timer;
}

function clearVirtual(clearReal: (timer: never) => void) {
  return (timer: unknown) => {
    if (timer instanceof VirtualTimer) timer.event.canceled = true;
    else clearReal(timer as never);
  };
}

function virtualAbortAfter(ms: number): AbortSignal {
  if (entered === undefined) return real.abortAfter(ms);
  const expiry = new AbortController();
  entered.schedule(ms, () => expiry.abort(new DOMException('The time is up.', 'TimeoutError')));
  return expiry.signal;
}

function install(): void {
  if (globalThis.Date === VirtualDate) return;
  Object.assign(globalThis, {
    Date: VirtualDate,
    setTimeout: virtualTimeout,
    setInterval: virtualInterval,
    clearTimeout: clearVirtual(real.clearTimeout),
    clearInterval: clearVirtual(real.clearInterval),
  });
  Object.defineProperty(performance, 'now', {
    value: () => entered?.nowMs() ?? real.performanceNow(),
    configurable: true,
  });
  AbortSignal.timeout = virtualAbortAfter;
  Math.random = () => entered?.random.next() ?? real.random();
  Object.assign(timers, {
    setTimeout: (ms: number, value: unknown) =>
      entered === undefined ? real.sleep(ms, value) : entered.delay(ms).then(() => value),
  });
  Object.assign(crypto, {
    randomBytes: (count: number) => entered?.random.bytes(count) ?? real.randomBytes(count),
    randomUUID: () => (entered === undefined ? real.randomUUID() : uuidOf(entered.random.bytes(16))),
  });
  Object.assign(files, {
    appendFile: tracked(files.appendFile),
    mkdir: tracked(files.mkdir),
    mkdtemp: tracked(files.mkdtemp),
    readFile: tracked(files.readFile),
    rm: tracked(files.rm),
    writeFile: tracked(files.writeFile),
  });
  syncBuiltinESMExports();
}

/** File operations are real and are awaited: nothing else shows that they are in flight. */
function tracked<A extends unknown[], T>(operation: (...args: A) => Promise<T>) {
  return (...args: A): Promise<T> => entered?.track(operation(...args)) ?? operation(...args);
}

function uuidOf(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
