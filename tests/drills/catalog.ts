import { bucketLost } from './disasters/bucket-lost.ts';
import { kafkaDisks } from './disasters/kafka-disks.ts';
import { kafkaStopped } from './disasters/kafka-stopped.ts';
import { postgresLost } from './disasters/postgres-lost.ts';
import { redisLost } from './disasters/redis-lost.ts';
import { secretsLost } from './disasters/secrets-lost.ts';
import { zoneLost } from './disasters/zone-lost.ts';
import type { Drill } from './drill.ts';

/** Drills that lose data come last. */
export const DRILLS: readonly Drill[] = [
  redisLost,
  kafkaStopped,
  zoneLost,
  kafkaDisks,
  postgresLost,
  bucketLost,
  secretsLost,
];
