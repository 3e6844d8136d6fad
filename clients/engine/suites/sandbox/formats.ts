/** The formats that ffmpeg has to decode and encode in the sandbox as it does without one. */
import type { OutputFormat } from '../../src/formats/formats.ts';
import { createSilentApe } from '../../src/testing/ape-files.ts';
import { createAudioSamples } from '../../src/testing/audio-samples.ts';
import { createDff, createDsf } from '../../src/testing/dsd-files.ts';
import { type CorpusFile, FORMAT_CORPUS, makeCorpusFile } from '../../src/testing/format-corpus.ts';
import { createPcmFile } from '../../src/testing/pcm-files.ts';
import { type ScriptOptions, stdinScript } from './stdin-script.ts';
import type { FormatCase, FormatOptions, FormatReport } from './try-formats.ts';

const SAMPLE_RATE_HZ = 44_100;
const PCM = { sampleRateHz: SAMPLE_RATE_HZ, channelCount: 2, bits: 16, sampleCount: 17_640 } as const;
const DSD = {
  bitRateHz: 2_822_400,
  channelCount: 1,
  bitCount: 1_128_960,
  toneHz: 441,
  amplitude: 0.4,
} as const;

/** What most sources are, for an ffmpeg that takes long to start. */
export const USUAL_FORMATS: readonly CorpusFile[] = FORMAT_CORPUS.filter(({ name }) =>
  ['a.mp3', 'a.flac', 'vorbis.ogg', 'a.opus', 'a.wav', 'a.wv', 'front.m4a', 'opus.ts'].includes(name),
);

/** For Node's stdin: `try-formats.ts`, with the sources. */
export async function formatsScript(
  options: ScriptOptions & Pick<FormatOptions, 'ffmpegPath'>,
  corpus: readonly CorpusFile[] = FORMAT_CORPUS,
): Promise<string> {
  const given: FormatOptions = { ...options, cases: await formatCases(corpus) };
  return await stdinScript('try-formats.ts', given);
}

/** All containers are decoded, and all outputs are encoded; nothing is copied, as ffmpeg has no part in that. */
async function formatCases(corpus: readonly CorpusFile[]): Promise<readonly FormatCase[]> {
  await using samples = await createAudioSamples();
  const sources = new Map<string, Buffer>();
  for (const file of corpus) sources.set(file.name, await makeCorpusFile(samples, file));
  if (corpus === FORMAT_CORPUS) {
    sources.set('rifx.wav', createPcmFile('rifx', PCM));
    sources.set('a.ape', createSilentApe(PCM));
    sources.set('a.dsf', createDsf(DSD));
    sources.set('a.dff', createDff(DSD));
  }
  const caseOf = (name: string, outputFormat?: OutputFormat): FormatCase => ({
    name: `${name} to ${outputFormat ?? 'its own format'}`,
    source: (sources.get(name) ?? Buffer.alloc(0)).toString('base64'),
    ...(outputFormat === undefined ? {} : { outputFormat }),
  });
  return [
    ...[...sources.keys()].map((name) => caseOf(name, name.endsWith('.wav') ? 'flac' : 'wav')),
    ...(['mp3', 'ogg', 'aac'] as const).map((outputFormat) => caseOf('a.wav', outputFormat)),
    // Opus is encoded where it is to stay Opus and cannot be copied.
    caseOf('opus.ts'),
  ];
}

/** What a sandbox of this level should not have changed; empty where it has changed nothing. */
export function differencesIn(
  { level, shortfall, outcomes }: FormatReport,
  expectedLevel: FormatReport['level'],
): readonly string[] {
  const failed = outcomes.filter(({ unconfined }) => typeof unconfined === 'string' || unconfined.length < 2);
  const differing = outcomes.filter(
    ({ confined, unconfined }) => JSON.stringify(confined) !== JSON.stringify(unconfined),
  );
  return [
    ...(level === expectedLevel ? [] : [`the level is ${level}: ${shortfall}`]),
    ...(outcomes.length >= USUAL_FORMATS.length ? [] : [`there are only ${outcomes.length} formats`]),
    ...failed.map(({ name, unconfined }) => `${name}: without a sandbox ${unconfined}`),
    ...differing.map(
      ({ name, confined, unconfined }) => `${name}: ${confined}, without a sandbox ${unconfined}`,
    ),
  ];
}
