import type { Installation } from './installation.ts';

/** Periodic work of the running process, in the place of the job library: a run that fails is followed by the next. */
export function repeat(
  { world, random }: Installation,
  name: string,
  everyMs: number,
  run: () => Promise<unknown>,
): void {
  const loop = async () => {
    for (;;) {
      await world.delay(random.between(everyMs * 0.75, everyMs * 1.25));
      await run().catch((error: unknown) => world.record(`${name} fails: ${String(error)}`));
    }
  };
  void loop();
}
