/** Every golden source: what it sounds like, how it is packed, how it is to be cut. */
import type { Cut } from '../../src/cuts/cut.ts';
import type { OutputFormat } from '../../src/formats/formats.ts';
import { type WaveOptions, withVbriFrame, wrapInTags } from './containers.ts';
import type { SampleFormat } from './sound.ts';
import type { Judgement } from './vectors.ts';

export interface Recipe {
  readonly name: string;
  readonly extension: string;
  readonly sampleRateHz: number;
  readonly channelCount: 1 | 2;
  /** Of what goes into the encoder. */
  readonly sampleCount: number;
  readonly pcm: SampleFormat;
  readonly pack: Packing;
  readonly judgement: Judgement;
  readonly cutTolerance?: number;
  /** The audible samples where they are not those that went in, as the format cannot say so. */
  readonly heldSamples?: (file: Buffer) => number;
  readonly plans: readonly { readonly cut: Cut; readonly outputFormat?: OutputFormat }[];
}

type Packing =
  | { readonly kind: 'wave'; readonly options: WaveOptions }
  | {
      readonly kind: 'encoded';
      readonly args: readonly string[];
      readonly rework?: (file: Buffer) => Buffer;
    };

const seconds = (segmentDurationSeconds: number): { readonly cut: Cut } => ({
  cut: { mode: 'duration', segmentDurationSeconds },
});
const bytes = (maxFileSizeBytes: number): { readonly cut: Cut } => ({
  cut: { mode: 'fileSize', maxFileSizeBytes },
});

const MONO = { channelCount: 1 } as const;
const STEREO = { channelCount: 2 } as const;

function wave(
  name: string,
  pcm: SampleFormat,
  rest: Pick<Recipe, 'sampleRateHz' | 'channelCount' | 'sampleCount' | 'plans'>,
  options: WaveOptions = {},
): Recipe {
  return { ...rest, name, pcm, extension: 'wav', judgement: 'lossless', pack: { kind: 'wave', options } };
}

const TELEPHONE = { ...MONO, sampleRateHz: 8_000, sampleCount: 8_600 };
/** The remainder of 600 samples, 75 ms, belongs to the last full segment. */
const HALF_SECONDS = seconds(0.5);
/** 0.3 s four times, less 1,000 samples. */
const THIRDS = seconds(0.3);

const WAVES: readonly Recipe[] = [
  wave('wav 8 bit', 'u8', { ...TELEPHONE, plans: [HALF_SECONDS, bytes(3_001)] }),
  wave('wav 16 bit', 's16le', { ...TELEPHONE, plans: [HALF_SECONDS, THIRDS, bytes(6_000)] }),
  wave('wav 24 bit stereo', 's24le', {
    ...STEREO,
    sampleRateHz: 11_025,
    sampleCount: 3_300,
    plans: [seconds(0.11), bytes(9_001), { ...seconds(0.11), outputFormat: 'flac' }],
  }),
  wave('wav 32 bit', 's32le', {
    ...MONO,
    sampleRateHz: 8_000,
    sampleCount: 4_800,
    plans: [THIRDS, bytes(7_000)],
  }),
  wave('wav float', 'f32le', {
    ...MONO,
    sampleRateHz: 8_000,
    sampleCount: 4_801,
    plans: [THIRDS, bytes(7_000)],
  }),
  wave(
    'wav EXTENSIBLE',
    's24le',
    { ...STEREO, sampleRateHz: 8_000, sampleCount: 3_200, plans: [THIRDS, bytes(9_000)] },
    { isExtensible: true },
  ),
  wave('wav RF64', 's16le', { ...TELEPHONE, plans: [THIRDS, bytes(6_000)] }, { isRf64: true }),
  wave(
    'wav of a stream, size unknown',
    's16le',
    { ...TELEPHONE, plans: [THIRDS, bytes(6_000)] },
    { claimedDataBytes: 0xffffffff },
  ),
  wave(
    'wav that claims more than it has',
    's16le',
    { ...TELEPHONE, plans: [HALF_SECONDS, bytes(6_000)] },
    { claimedDataBytes: 1_000_000 },
  ),
];

const LAME = ['-c:a', 'libmp3lame', '-id3v2_version', '0'];
const NO_INFO_FRAME = [...LAME, '-write_xing', '0', '-b:a', '64k'];
/** Layer III at 48 kHz: 144 times the bitrate, over the rate, in every frame alike. */
const PLAIN_FRAME_BYTES = (144 * 64_000) / 48_000;
const MPEG1_FRAME_SAMPLES = 1_152;

function mp3(
  name: string,
  args: readonly string[],
  rest: Pick<Recipe, 'sampleRateHz' | 'channelCount' | 'sampleCount' | 'plans'> &
    Partial<Pick<Recipe, 'heldSamples'>>,
  rework?: (file: Buffer) => Buffer,
): Recipe {
  const pack = { kind: 'encoded', args, ...(rework === undefined ? {} : { rework }) } as const;
  return { ...rest, name, pack, pcm: 's16le', extension: 'mp3', judgement: 'copied' };
}

const CD_MONO = { ...MONO, sampleRateHz: 44_100, sampleCount: 50_000 };
const DAT_MONO = { ...MONO, sampleRateHz: 48_000, sampleCount: 60_000 };

const MP3S: readonly Recipe[] = [
  mp3('mp3 MPEG-1 CBR', [...LAME, '-b:a', '64k'], { ...CD_MONO, plans: [seconds(0.37), bytes(4_000)] }),
  mp3('mp3 MPEG-1 VBR stereo', [...LAME, '-q:a', '7'], {
    ...STEREO,
    sampleRateHz: 44_100,
    sampleCount: 44_100,
    plans: [seconds(0.25), bytes(6_000)],
  }),
  mp3('mp3 MPEG-2', [...LAME, '-b:a', '40k'], {
    ...MONO,
    sampleRateHz: 22_050,
    sampleCount: 45_000,
    plans: [seconds(0.5), bytes(4_000)],
  }),
  mp3('mp3 MPEG-2.5', [...LAME, '-b:a', '16k'], {
    ...STEREO,
    sampleRateHz: 11_025,
    sampleCount: 44_100,
    plans: [seconds(1), bytes(3_000)],
  }),
  mp3('mp3 without an info frame', NO_INFO_FRAME, {
    ...DAT_MONO,
    heldSamples: (file) => (file.length / PLAIN_FRAME_BYTES) * MPEG1_FRAME_SAMPLES,
    plans: [seconds(0.4), bytes(4_000)],
  }),
  mp3(
    'mp3 with VBRI',
    NO_INFO_FRAME,
    {
      ...DAT_MONO,
      heldSamples: (file) => (file.length / PLAIN_FRAME_BYTES - 1) * MPEG1_FRAME_SAMPLES,
      plans: [seconds(0.4), bytes(4_000)],
    },
    (file) => withVbriFrame(file, PLAIN_FRAME_BYTES),
  ),
  mp3(
    'mp3 in ID3v2 with a cover, APEv2 and ID3v1',
    [...LAME, '-b:a', '64k'],
    { ...CD_MONO, plans: [seconds(0.37), bytes(5_000)] },
    wrapInTags,
  ),
];

function encoded(
  name: string,
  extension: string,
  args: readonly string[],
  rest: Omit<Recipe, 'name' | 'extension' | 'pack' | 'pcm'> & Partial<Pick<Recipe, 'pcm'>>,
): Recipe {
  return { pcm: 's16le', ...rest, name, extension, pack: { kind: 'encoded', args } };
}

/** Without the 8 KiB that ffmpeg leaves free for tags to come. */
const FLAC = ['-c:a', 'flac', '-metadata_header_padding', '0'];
/** Noise substitution is drawn at random by decoders: without it two decodes of a frame are alike. */
const AAC = ['-c:a', 'aac', '-aac_pns', '0', '-b:a', '48k'];
const AAC_FRAME_SAMPLES = 1_024;
/** Half of the largest block that libvorbis uses (2,048 samples), which is what a packet adds at most. */
const VORBIS_PACKET_SAMPLES = 1_024;

const OTHERS: readonly Recipe[] = [
  encoded('flac 16 bit', 'flac', FLAC, {
    ...MONO,
    sampleRateHz: 16_000,
    sampleCount: 7_300,
    judgement: 'lossless',
    plans: [seconds(0.15), bytes(6_000), { ...seconds(0.2), outputFormat: 'wav' }],
  }),
  encoded('flac 24 bit stereo', 'flac', [...FLAC, '-sample_fmt', 's32', '-bits_per_raw_sample', '24'], {
    ...STEREO,
    sampleRateHz: 8_000,
    sampleCount: 3_000,
    pcm: 's24le',
    judgement: 'lossless',
    plans: [seconds(0.125), bytes(7_000)],
  }),
  encoded('ogg vorbis', 'ogg', ['-c:a', 'libvorbis', '-q:a', '0'], {
    ...MONO,
    sampleRateHz: 22_050,
    sampleCount: 40_000,
    judgement: 'copied',
    cutTolerance: VORBIS_PACKET_SAMPLES / 2,
    plans: [seconds(0.5), bytes(8_000)],
  }),
  encoded('ogg opus', 'opus', ['-c:a', 'libopus', '-b:a', '32k'], {
    ...STEREO,
    sampleRateHz: 48_000,
    sampleCount: 110_000,
    judgement: 'prerolled',
    plans: [seconds(0.5), bytes(5_000)],
  }),
  encoded('m4a, index first', 'm4a', [...AAC, '-movflags', '+faststart'], {
    ...CD_MONO,
    judgement: 'copied',
    plans: [seconds(0.37), bytes(5_000)],
  }),
  encoded('m4a, index last, stereo', 'm4a', AAC, {
    ...STEREO,
    sampleRateHz: 32_000,
    sampleCount: 48_000,
    judgement: 'copied',
    plans: [seconds(0.5), bytes(5_000)],
  }),
  encoded('m4a with ALAC', 'm4a', ['-c:a', 'alac'], {
    ...MONO,
    sampleRateHz: 16_000,
    sampleCount: 9_000,
    judgement: 'lossless',
    plans: [seconds(0.15), bytes(9_000)],
  }),
  encoded('ADTS', 'aac', [...AAC, '-f', 'adts'], {
    ...CD_MONO,
    judgement: 'frames',
    cutTolerance: AAC_FRAME_SAMPLES / 2,
    heldSamples: (file) => countAdtsFrames(file) * AAC_FRAME_SAMPLES,
    plans: [seconds(0.37), bytes(3_000)],
  }),
];

/** Follows the 13 bits of frame length in each header (ISO/IEC 13818-7 section 6.2). */
function countAdtsFrames(file: Buffer): number {
  let frames = 0;
  for (let at = 0; at < file.length; frames++) at += (file.readUIntBE(at + 3, 3) >> 5) & 0x1fff;
  return frames;
}

export const RECIPES: readonly Recipe[] = [...WAVES, ...MP3S, ...OTHERS];

export function fileName({ name, extension }: Recipe): string {
  return `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.${extension}`;
}
