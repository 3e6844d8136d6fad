/** What a plan needs to know of a source, determined at the first use. */
import { readChapters } from '../chapters/read-chapters.ts';
import type { SourceFacts } from '../cuts/planned/plan-pieces.ts';
import type { FfmpegRuntime } from '../ffmpeg/run.ts';
import { createLevelSource, type LevelSource } from '../sound/read-levels.ts';
import { autoThreshold, findSilences } from '../sound/silence.ts';
import { silencePieces } from '../sound/silence-pieces.ts';
import { chooseSnap } from '../sound/snap.ts';
import type { PlannedSource } from './planned-source.ts';
import type { SourceProbe } from './source-probe.ts';

interface FactOptions {
  /** The part to split. */
  readonly source: PlannedSource;
  readonly probe: SourceProbe;
  /** With all of its tracks, because chapters refer to the whole. */
  readonly received: PlannedSource;
  readonly totalSeconds: number;
}

export function createSourceFacts(
  runtime: FfmpegRuntime,
  { source, probe, received, totalSeconds }: FactOptions,
): SourceFacts {
  let opened: Promise<LevelSource> | undefined;

  async function openLevels(): Promise<LevelSource> {
    const { file } = source;
    return createLevelSource({ runtime, file, container: file.container, probed: await probe() });
  }

  function levels(fromSeconds: number, toSeconds: number) {
    opened ??= openLevels();
    return opened.then((levelSource) => levelSource.levels(fromSeconds, toSeconds));
  }

  return {
    totalSeconds,
    sizes: undefined,
    async snap(window) {
      const { seconds, how } = chooseSnap(await levels(window.earliestSeconds, window.targetSeconds), window);
      return { seconds, endKind: how };
    },
    async silencePieces({ startSeconds, endSeconds }, { threshold, minSilence, minDuration, keepSilence }) {
      const all = await levels(startSeconds, endSeconds);
      const thresholdDbfs = threshold === 'auto' ? autoThreshold(all.values) : threshold;
      return silencePieces(findSilences(all, thresholdDbfs, minSilence), {
        startSeconds,
        endSeconds,
        minSilenceSeconds: minSilence,
        minDurationSeconds: minDuration,
        keepSilenceSeconds: keepSilence,
      });
    },
    ownChapters: async () => (await readChapters(received.file, received.sniffed))?.chapters ?? [],
  };
}
