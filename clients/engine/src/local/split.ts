import { rm } from 'node:fs/promises';
import type { Cuts } from '@audiosplit/cuts/read-cuts';
import { createDeferred } from '../deferred.ts';
import type { FinishedSegment } from '../media.ts';
import type { Source } from './open-source.ts';
import { type OutputFolder, openOutputFolder } from './output-folder.ts';
import { prepareRun, type RunOptions, type Summary } from './run-engine.ts';
import { describeSegment, type WrittenSegment } from './segment.ts';

export interface SplitOptions extends RunOptions {
  /** The folder; created if it is missing. */
  readonly to: string;
  /**
   * Whether segments may replace existing files. Absent: an existing file ends the split with
   * FileExistsError.
   */
  readonly overwrite?: boolean | undefined;
}

/**
 * Splits the source and yields each segment once its file is complete, under its final name; returns
 * information about the whole split. Ending the loop early, an abort and an error leave no other file behind.
 *
 * If a source's header claims a wrong length, it may have to be cut again: segments are then yielded again
 * from index 0 and replace the earlier ones.
 *
 * Throws InvalidCutsError for contradictory cuts, MediaError for a source that cannot be cut in this way,
 * FileExistsError, SetupError if an ffmpeg is needed and missing, and the signal's reason.
 */
export async function* split(
  source: Source,
  cuts: Cuts,
  { to, overwrite = false, signal, ...options }: SplitOptions,
): AsyncGenerator<WrittenSegment, Summary, undefined> {
  const stop = new AbortController();
  const either = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
  const engine = await prepareRun(source, cuts, { ...options, signal: either });
  await using folder = await openOutputFolder(to, overwrite);
  const results = createResults();
  const take = takeSegments(folder, engine.isPlanned, results.add);
  const running = engine
    .run(folder.workDir, take.take)
    .then(async (summary) => {
      await take.finish(summary.segmentCount);
      return summary;
    })
    .finally(results.end);
  // It is awaited below.
  running.catch(() => undefined);
  try {
    yield* results.taken();
    return await running;
  } finally {
    stop.abort(new Error('the split is not wanted any more'));
    await running.catch(() => undefined);
  }
}

/** While the source arrives it is unknown whether a segment is the last, so each waits for the next. */
function takeSegments(folder: OutputFolder, isPlanned: boolean, give: (segment: WrittenSegment) => void) {
  const paths = new Map<number, string>();
  let waiting:
    | { readonly segment: FinishedSegment; readonly path: string; readonly fileName: string }
    | undefined;

  function giveWaiting(end: 'exact' | 'end'): void {
    if (waiting === undefined) return;
    const { segment, path, fileName } = waiting;
    give({ ...describeSegment(segment, fileName, end), path });
    waiting = undefined;
  }

  return {
    async take(segment: FinishedSegment, fileName: string): Promise<void> {
      const path = await folder.settle(segment.path, fileName);
      const former = paths.get(segment.index);
      if (former !== undefined && former !== path) await rm(former, { force: true });
      paths.set(segment.index, path);
      giveWaiting('exact');
      waiting = { segment, path, fileName };
      if (isPlanned) giveWaiting('exact');
    },
    /** A plan that was given up may have left more files. */
    async finish(count: number): Promise<void> {
      giveWaiting('end');
      for (const [index, path] of paths) if (index >= count) await rm(path, { force: true });
    },
  };
}

function createResults() {
  const ready: WrittenSegment[] = [];
  let isEnded = false;
  let changed = createDeferred();
  function announce(): void {
    changed.resolve();
    changed = createDeferred();
  }
  return {
    add(segment: WrittenSegment): void {
      ready.push(segment);
      announce();
    },
    end(): void {
      isEnded = true;
      announce();
    },
    async *taken(): AsyncGenerator<WrittenSegment, void, undefined> {
      for (;;) {
        const { promise } = changed;
        const next = ready.shift();
        if (next !== undefined) yield next;
        else if (isEnded) return;
        else await promise;
      }
    },
  };
}
