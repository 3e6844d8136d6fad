import type { Admin, SeekEntry } from 'kafkajs';
import { silentLogger } from '../../process/log.ts';
import { retryUntilAvailable } from './errors.ts';

const PATIENCE_MS = 10_000;

/**
 * Offsets of each partition of a topic, from the oldest message to the end. The client library gives up at
 * once on a broker that has only just become the leader of a partition, as happens with new topics.
 */
export function fetchTopicOffsets(
  admin: Pick<Admin, 'fetchTopicOffsets'>,
  topic: string,
): Promise<(SeekEntry & { readonly high: string; readonly low: string })[]> {
  const patience = { what: `the offsets of ${topic}`, forMs: PATIENCE_MS, log: silentLogger() };
  return retryUntilAvailable(patience, () => admin.fetchTopicOffsets(topic));
}
