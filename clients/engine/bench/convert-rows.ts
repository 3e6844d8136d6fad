/** Encoding against one plain ffmpeg with the same encoder, and splitting while the source comes in. */

import { join } from 'node:path';
import { median } from '@audiosplit/chassis/testing/latency';
import { encodingFor } from '../src/formats/encoding.ts';
import type { OutputFormat } from '../src/formats/formats.ts';
import { SEGMENT_SECONDS } from './copy-rows.ts';
import { childrensCpuSeconds } from './cpu-time.ts';
import {
  type Bench,
  type Contender,
  measureInterleaved,
  type Row,
  ratioRow,
  reference,
  seconds,
  splitInChild,
  withOutputDir,
} from './measure.ts';
import { SAMPLE_RATE_HZ, type Source, sourceNamed } from './sources.ts';
import { ffmpegArgs, timeCommand } from './tools.ts';

const CUT = { mode: 'duration', segmentDurationSeconds: SEGMENT_SECONDS } as const;
/**
 * Each segment is an encoding of its own. ffmpeg's AAC encoder takes twice the time for the first ten seconds of any,
 * which the plain ffmpeg pays once.
 */
const TRANSCODE_SEGMENT_SECONDS = [SEGMENT_SECONDS, 5 * SEGMENT_SECONDS] as const;
const TRANSCODE_GOAL = 0.55;
/** Of processor time, which other work on the machine changes less than time: what the other goal asks of two cores. */
const TRANSCODE_CPU_GOAL = 1.08;
const STREAMING_GOAL = 1.05;
/** Short downloads would measure timers. */
const MIN_DOWNLOAD_SECONDS = 1;

const TRANSCODES: readonly (readonly [string, OutputFormat])[] = [
  ['wav', 'mp3'],
  ['mp3 V2', 'aac'],
  ['flac', 'ogg'],
];
const STREAMED: readonly (readonly [string, OutputFormat | undefined])[] = [
  ['mp3 128k', undefined],
  ['wav', undefined],
  ['wav', 'mp3'],
];

export async function measureTranscodes(bench: Bench): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const [name, outputFormat] of TRANSCODES) {
    const source = sourceNamed(bench.sources, name);
    const engineCpu = new Map<number, number[]>(TRANSCODE_SEGMENT_SECONDS.map((length) => [length, []]));
    const ffmpegCpu: number[] = [];
    const plain = plainFfmpeg(bench, source, outputFormat);
    const contenders = new Map<number | 'ffmpeg', Contender>(
      TRANSCODE_SEGMENT_SECONDS.map((segmentDurationSeconds) => [
        segmentDurationSeconds,
        async () => {
          const cut = { mode: 'duration', segmentDurationSeconds } as const;
          const report = await splitInChild(bench, source, { cut, outputFormat });
          engineCpu.get(segmentDurationSeconds)?.push(report.cpuSeconds);
          return report.seconds;
        },
      ]),
    );
    contenders.set(
      'ffmpeg',
      reference(async () => {
        const cpuSecondsBefore = childrensCpuSeconds();
        const seconds = await plain();
        ffmpegCpu.push(childrensCpuSeconds() - cpuSecondsBefore);
        return seconds;
      }),
    );
    const measured = await measureInterleaved(bench, `transcode ${name} → ${outputFormat}`, contenders);
    const against = { name: 'plain ffmpeg', seconds: measured.get('ffmpeg') ?? Number.NaN };
    const againstCpu = { name: 'plain ffmpeg', seconds: median(ffmpegCpu) };
    for (const length of TRANSCODE_SEGMENT_SECONDS) {
      const measure = `transcode ${name} → ${outputFormat}, ${length / 60} min segments`;
      const cpu = median(engineCpu.get(length) ?? []);
      rows.push(ratioRow(measure, measured.get(length) ?? Number.NaN, against, TRANSCODE_GOAL));
      rows.push(ratioRow(`${measure}, processor time`, cpu, againstCpu, TRANSCODE_CPU_GOAL));
    }
  }
  return rows;
}

function plainFfmpeg(bench: Bench, source: Source, outputFormat: OutputFormat): Contender {
  const encoding = encodingFor(outputFormat);
  const pcm = { format: 's16le', sampleRateHz: SAMPLE_RATE_HZ, channelCount: 2 } as const;
  return () =>
    withOutputDir(bench, (dir) => {
      const output = ['-f', encoding.muxer, join(dir, `whole.${encoding.extension}`)];
      const args = ffmpegArgs('-i', source.path, '-map', '0:a', ...encoding.encoderArgs(pcm), ...output);
      return timeCommand(bench.tools.engineFfmpeg, args);
    });
}

/** The download takes as long as the work, the case in which overlapping the two saves most. */
export async function measureStreaming(bench: Bench): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const [name, outputFormat] of STREAMED) {
    const source = sourceNamed(bench.sources, name);
    const request = outputFormat === undefined ? { cut: CUT } : { cut: CUT, outputFormat };
    const work = (await splitInChild(bench, source, request)).seconds;
    const downloadSeconds = Math.max(work, MIN_DOWNLOAD_SECONDS);
    const contenders = new Map<'work' | 'streamed', Contender>([
      ['work', async () => (await splitInChild(bench, source, request)).seconds],
      ['streamed', async () => (await splitInChild(bench, source, { ...request, downloadSeconds })).seconds],
    ]);
    const measure = `streaming ${name} → ${outputFormat ?? 'copy'}`;
    const measured = await measureInterleaved(bench, measure, contenders);
    const bound = Math.max(downloadSeconds, measured.get('work') ?? Number.NaN);
    const against = { name: `max(download ${seconds(downloadSeconds)}, work)`, seconds: bound };
    const streamed = measured.get('streamed') ?? Number.NaN;
    rows.push(ratioRow(measure, streamed, against, STREAMING_GOAL));
  }
  return rows;
}
