/** The faults of processes and clocks while the accounts work. */
import type { Installation } from '../installation/installation.ts';

const SECOND_MS = 1_000;
const LEAPS_MS = [31, 31, 31, 31, 120, 120, 400, 700, 11_000].map((seconds) => seconds * SECOND_MS);

/** Runs until the faults are healed. Leaps are shorter than the lifetime of an idempotency key. */
export function startChaos({ world, random, faults, processes }: Installation): void {
  const pauseMs = random.pick([2, 6, 20]) * SECOND_MS;
  const run = async () => {
    for (;;) {
      await world.delay(random.between(pauseMs / 2, pauseMs * 2));
      if (!faults.areOn()) return;
      if (random.chance(0.25)) {
        const leapMs = random.pick(LEAPS_MS);
        faults.note('the clock leaps');
        world.record(`the clock leaps by ${leapMs / SECOND_MS} s`);
        world.leap(leapMs);
        continue;
      }
      const isFrozen = random.chance(0.4);
      const splitters = processes.filter(({ name }) => name.startsWith('splitter'));
      const victim = random.pick(isFrozen && random.chance(0.6) ? splitters : processes);
      if (!victim.isAlive()) continue;
      if (isFrozen) {
        const freezeMs = random.between(2, 120) * SECOND_MS;
        faults.note('a process is frozen');
        world.record(`${victim.name} is frozen for ${freezeMs / SECOND_MS} s`);
        victim.freezeUntil(world.nowMs() + freezeMs);
        continue;
      }
      faults.note('a process is killed');
      world.record(`${victim.name} is killed`);
      victim.kill();
    }
  };
  void run();
}
