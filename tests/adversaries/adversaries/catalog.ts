import type { Adversary } from '../adversary.ts';
import { CONNECTIONS } from './connections.ts';
import { CREDENTIALS } from './credentials.ts';
import { MEDIA } from './media.ts';
import { MONEY } from './money.ts';
import { NAMES } from './names.ts';
import { QUEUE } from './queue.ts';
import { RECEIVERS } from './receivers.ts';
import { SOURCES } from './sources.ts';
import { UPLOADS_THAT_WAIT } from './uploads.ts';

export const ADVERSARIES: readonly Adversary[] = [
  ...SOURCES,
  ...NAMES,
  ...UPLOADS_THAT_WAIT,
  ...MEDIA,
  ...CREDENTIALS,
  ...CONNECTIONS,
  ...RECEIVERS,
  ...QUEUE,
  ...MONEY,
];
