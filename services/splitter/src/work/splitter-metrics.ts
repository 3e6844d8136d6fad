import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expose } from '@audiosplit/chassis/observability/metrics';
import type { Worker } from './worker.ts';

export interface SplitterMetricsOptions {
  readonly worker: Pick<Worker, 'busySlots'>;
  readonly slots: number;
  readonly scratchDir: string;
}

/** What a splitter has to work with, until it is disposed of. */
export function exposeSplitter({ worker, slots, scratchDir }: SplitterMetricsOptions): Disposable {
  using exposed = new DisposableStack();
  exposed.use(expose('audiosplit_splitter_slots', () => [{ labels: {}, value: slots }]));
  exposed.use(expose('audiosplit_splitter_slots_busy', () => [{ labels: {}, value: worker.busySlots() }]));
  exposed.use(
    expose('audiosplit_splitter_scratch_free_bytes', async () => [
      { labels: {}, value: await freeBytesAt(scratchDir) },
    ]),
  );
  return exposed.move();
}

/** What a user without privileges may still write. The folder itself is made by the first job. */
async function freeBytesAt(directory: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize;
  } catch (error) {
    const parent = dirname(directory);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === directory) throw error;
    return freeBytesAt(parent);
  }
}
