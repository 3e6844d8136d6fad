/** Sources, and splits of them by an API request, for the tests of plans. */
import assert from 'node:assert/strict';
import type { CutRequest } from '@audiosplit/cuts/cut-request';
import { createSource, type SourceSpec } from '../copy/testing/ffmpeg.ts';
import type { FinishedSegment, SplitOptions, SplitResult } from '../media.ts';
import { type AudioSamples, createAudioSamples } from '../testing/audio-samples.ts';
import { startSplit } from '../testing/split-run.ts';

export const SECONDS = 24;
const STEREO = { seconds: SECONDS, sampleRateHz: 44_100, channelCount: 2 } as const;

/**
 * Formats that are cut at the exact sample, and whose segments decode to the source's samples apart from the
 * codec's noise.
 */
export const COPIED: Readonly<Record<string, SourceSpec>> = {
  wav: { ...STEREO, extension: 'wav', encode: ['-c:a', 'pcm_s16le'] },
  flac: { ...STEREO, extension: 'flac', encode: ['-c:a', 'flac'] },
  mp3: {
    ...STEREO,
    extension: 'mp3',
    encode: ['-c:a', 'libmp3lame', '-q:a', '4', '-metadata', 'title=Talk'],
  },
  m4a: { ...STEREO, extension: 'm4a', encode: ['-c:a', 'aac', '-b:a', '96k'] },
  opus: { ...STEREO, sampleRateHz: 48_000, extension: 'opus', encode: ['-c:a', 'libopus', '-b:a', '64k'] },
};
/** Cut between packets, which may differ from the planned position. */
export const CUT_BETWEEN_PACKETS: Readonly<Record<string, SourceSpec>> = {
  ogg: { ...STEREO, extension: 'ogg', encode: ['-c:a', 'libvorbis', '-q:a', '4'] },
  adts: { ...STEREO, extension: 'aac', encode: ['-c:a', 'aac', '-f', 'adts'] },
};

/** Unordered, with a gap and an overlap. */
export const RANGES: CutRequest = {
  splitMode: 'ranges',
  ranges: [
    { start: 15.5, end: 19.25, title: 'Late' },
    { start: 0, end: 5 },
    { start: 4.2, end: 9.1, title: 'Over' },
    { start: 20 },
  ],
};

export interface PlannedOutcome extends AsyncDisposable {
  /** In the order of their index; their files exist until the outcome is disposed of. */
  readonly segments: readonly FinishedSegment[];
  readonly result: SplitResult;
}

export async function splitByRequest(
  source: Uint8Array,
  request: CutRequest,
  settings: Pick<SplitOptions, 'ffmpegPath'> & Partial<SplitOptions>,
): Promise<PlannedOutcome> {
  const run = await startSplit(source, { cut: { mode: 'planned', request }, ...settings });
  try {
    const result = await run.outcome;
    const leftovers = await run.leftovers();
    if (leftovers.length > 0) throw new Error(`left over: ${leftovers}`);
    const segments = [...run.segments].sort((one, other) => one.index - other.index);
    return { segments, result, [Symbol.asyncDispose]: () => run[Symbol.asyncDispose]() };
  } catch (error) {
    await run[Symbol.asyncDispose]();
    throw error;
  }
}

/** Start, content start if there is one, and end, in seconds to the millisecond. */
export function timesOf(segments: readonly FinishedSegment[]): number[][] {
  return segments.map(({ startSample, sampleCount, contentStartSample, sampleRateHz }) => {
    const samples = [startSample, contentStartSample, startSample + sampleCount].filter(
      (at) => at !== undefined,
    );
    return samples.map((at) => Math.round((at / sampleRateHz) * 1000) / 1000);
  });
}

export interface PlannedSamples extends AsyncDisposable {
  readonly samples: AudioSamples;
  sourceOf(name: string): Buffer;
  split(name: string, request: CutRequest, settings?: Partial<SplitOptions>): Promise<PlannedOutcome>;
}

/** `names`: keys of COPIED and CUT_BETWEEN_PACKETS. */
export async function createPlannedSamples(names: readonly string[]): Promise<PlannedSamples> {
  const samples = await createAudioSamples();
  const specs = { ...COPIED, ...CUT_BETWEEN_PACKETS };
  const sources = new Map<string, Buffer>();
  for (const name of names) {
    const spec = specs[name];
    assert.ok(spec, name);
    sources.set(name, await createSource(spec));
  }
  const sourceOf = (name: string): Buffer => {
    const source = sources.get(name);
    assert.ok(source, name);
    return source;
  };
  return {
    samples,
    sourceOf,
    split: (name, request, settings = {}) =>
      splitByRequest(sourceOf(name), request, { ffmpegPath: samples.ffmpegPath, ...settings }),
    [Symbol.asyncDispose]: () => samples[Symbol.asyncDispose](),
  };
}
