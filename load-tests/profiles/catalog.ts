import { limiter } from './limiter.ts';
import { noisyNeighbour } from './noisy-neighbour.ts';
import type { Profile } from './profile.ts';
import { smoke } from './smoke.ts';
import { soak } from './soak.ts';
import { spike } from './spike.ts';
import { steady } from './steady.ts';

export const PROFILES: readonly Profile[] = [smoke, steady, spike, soak, limiter, noisyNeighbour];

export function findProfile(name: string): Profile | undefined {
  return PROFILES.find((profile) => profile.name === name);
}
