/** The waveform of an mp3 from its segments, as a splitter draws it, against ffmpeg decoding the source to nothing. */
import { createReadStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { findSandbox } from '../src/sandbox/find-sandbox.ts';
import { drawWaveform, type WaveformFile } from '../src/waveform/draw-waveform.ts';
import { type Bench, measureInterleaved, type Row, ratioRow, reference, withOutputDir } from './measure.ts';
import { sourceNamed } from './sources.ts';
import { runSplit } from './split-run.ts';
import { timeDecoding } from './tools.ts';

const SEGMENT_SECONDS = 600;
/** As many as the splitter draws (services/splitter/src/waveform/stored-waveform.ts). */
const MAX_PIXELS = 20_000;
/** For an hour of source. */
const GOAL_SECONDS = 3;

export async function measureWaveforms(bench: Bench, sourceSeconds: number): Promise<readonly Row[]> {
  const { path } = sourceNamed(bench.sources, 'mp3 128k');
  const ffmpegPath = bench.tools.engineFfmpeg;
  return await withOutputDir(bench, async (outputDir) => {
    const cut = { mode: 'duration', segmentDurationSeconds: SEGMENT_SECONDS } as const;
    const { segments } = await runSplit({ sourcePath: path, outputDir, cut, ffmpegPath });
    const files = segments.map(
      ({ path, sizeBytes, startSample, sampleRateHz }): WaveformFile => ({
        startSeconds: startSample / sampleRateHz,
        sizeBytes,
        open: async () => ({ container: 'mp3', bytes: createReadStream(path) }),
      }),
    );
    const workDir = join(outputDir, 'waveform');
    await mkdir(workDir);
    const sandbox = await findSandbox(ffmpegPath);
    const draw = async (): Promise<number> => {
      const startMs = performance.now();
      await drawWaveform({
        files,
        seconds: sourceSeconds,
        maxPixels: MAX_PIXELS,
        decoders: availableParallelism,
        ffmpegPath,
        sandbox,
        workDir,
        signal: new AbortController().signal,
        onProgress: () => undefined,
      });
      return (performance.now() - startMs) / 1_000;
    };
    const measure = `waveform of ${files.length} segments`;
    const medians = await measureInterleaved(
      bench,
      measure,
      new Map([
        ['engine', draw],
        ['ffmpeg', reference(() => timeDecoding(ffmpegPath, path))],
      ]),
    );
    const drawn = medians.get('engine') ?? Number.NaN;
    const against = { name: 'ffmpeg to nothing', seconds: medians.get('ffmpeg') ?? Number.NaN };
    const row = ratioRow(measure, drawn, against, undefined);
    return [
      { ...row, goal: `≤ ${GOAL_SECONDS} s an hour`, isMet: drawn <= (GOAL_SECONDS * sourceSeconds) / 3_600 },
    ];
  });
}
