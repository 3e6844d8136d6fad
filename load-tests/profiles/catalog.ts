import { limiter } from './limiter.ts';
import { noisyNeighbour } from './noisy-neighbour.ts';
import { smoke, soak, spike, steady } from './ordinary.ts';
import type { Profile } from './profile.ts';

export const PROFILES: readonly Profile[] = [smoke, steady, spike, soak, limiter, noisyNeighbour];

export function findProfile(name: string): Profile | undefined {
  return PROFILES.find((profile) => profile.name === name);
}
