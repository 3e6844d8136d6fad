import type { Clock } from '@audiosplit/chassis/clock';
import type { Logger } from '@audiosplit/chassis/process/log';
import type { World } from './world.ts';

/** What every process of an installation is started with. */
export interface SharedPorts {
  readonly world: World;
  readonly log: Logger;
  readonly clock: Clock;
  readonly internalSecret: string;
}
