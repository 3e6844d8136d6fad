import type { Installation } from './installation.ts';

export interface RepeatingWork {
  readonly name: string;
  readonly everyMs: number;
  readonly run: () => Promise<unknown>;
  /** False where nothing is there for it to find. Asked once nothing fails any more: until then it comes in vain too. */
  readonly isDue: () => boolean;
}

/** Periodic work of the running process, in the place of the job library: a run that fails is followed by the next. */
export function repeat(
  { world, random, faults }: Installation,
  { name, everyMs, run, isDue }: RepeatingWork,
): void {
  const loop = async () => {
    for (;;) {
      await world.delay(random.between(everyMs * 0.75, everyMs * 1.25));
      if (!faults.areOn() && !isDue()) continue;
      await run().catch((error: unknown) => world.record(`${name} fails: ${String(error)}`));
    }
  };
  void loop();
}
