/**
 * The encoding options that each output format supports. The gateway refuses a request that is wrong by
 * itself; the splitter refuses the rest, once the source has shown the format and the rate. This module needs
 * nothing of Node, so that pages can use it.
 *
 * Bounds that apply to every format (one or two channels, the loudness) are in the request's schema.
 */
import type { OutputFormat } from './output-formats.ts';
import { vorbisBitrates } from './vorbis-bitrates.ts';

export type EncodedFormat = OutputFormat;

export interface RequestedEncoding {
  readonly sampleRate?: number | undefined;
  readonly channels?: number | undefined;
  readonly bitrate?: number | undefined;
  readonly bitDepth?: number | undefined;
  readonly loudness?: { readonly target: number } | undefined;
  readonly md5?: boolean | undefined;
}

export interface EncodingFault {
  /** A field of RequestedEncoding. */
  readonly field: 'sampleRate' | 'bitrate' | 'bitDepth' | 'md5';
  /** States what the format supports. */
  readonly message: string;
}

type Allowed = readonly number[] | { readonly minimum: number; readonly maximum: number };

/** What a bitrate may depend on. */
type Sound = Pick<RequestedEncoding, 'sampleRate' | 'channels'>;

interface FormatAbilities {
  readonly sampleRate: Allowed;
  /** If a field is not given: the bitrates for any value of it. Undefined: the format has no bitrate to choose. */
  readonly bitrate: ((sound: Sound) => Allowed) | undefined;
  /** The fields of the sound that decide which bitrates there are. */
  readonly bitrateFollows: readonly (keyof Sound)[];
  /** Undefined: the format has no bit depth to choose. */
  readonly bitDepth: Allowed | undefined;
}

/** MPEG 1 (ISO/IEC 11172-3), MPEG 2 (ISO/IEC 13818-3) and 2.5, whose encoder supports at most 64 kbit/s. */
const MPEG_1_RATES = [32_000, 44_100, 48_000];
const MPEG_2_RATES = [16_000, 22_050, 24_000];
const MPEG_25_RATES = [8_000, 11_025, 12_000];
const MPEG_1_BITRATES = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320].map(toBits);
const MPEG_2_BITRATES = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160].map(toBits);
const MPEG_25_BITRATES = MPEG_2_BITRATES.filter((bitrate) => bitrate <= 64_000);
const MP3_BITRATES = [...new Set([...MPEG_2_BITRATES, ...MPEG_1_BITRATES])].sort((a, b) => a - b);

/** ISO/IEC 14496-3, table 1.18, except 7,350 Hz. */
const AAC_RATES = [...MPEG_25_RATES, ...MPEG_2_RATES, ...MPEG_1_RATES, 64_000, 88_200, 96_000];

const MIN_AAC_BITRATE = 16_000;
const MAX_AAC_BITRATE = 512_000;
/** As many as a source of the engine may have. */
const MAX_AAC_CHANNELS = 8;

const LOSSLESS: FormatAbilities = {
  sampleRate: { minimum: 1_000, maximum: 192_000 },
  bitrate: undefined,
  bitrateFollows: [],
  bitDepth: [16, 24],
};

const ABILITIES: Readonly<Record<EncodedFormat, FormatAbilities>> = {
  mp3: {
    sampleRate: [...MPEG_25_RATES, ...MPEG_2_RATES, ...MPEG_1_RATES],
    bitrate: ({ sampleRate }) => mp3BitratesAt(sampleRate),
    bitrateFollows: ['sampleRate'],
    bitDepth: undefined,
  },
  aac: {
    sampleRate: AAC_RATES,
    bitrate: aacBitrates,
    bitrateFollows: ['sampleRate', 'channels'],
    bitDepth: undefined,
  },
  ogg: {
    sampleRate: { minimum: 8_000, maximum: 192_000 },
    bitrate: vorbisBitrates,
    bitrateFollows: ['sampleRate', 'channels'],
    bitDepth: undefined,
  },
  wav: LOSSLESS,
  flac: LOSSLESS,
};

/**
 * The options that the format does not support. Without a rate or a number of channels, a bitrate must suit
 * some rate and some number; a caller that knows those of the source passes them.
 */
export function checkEncoding(format: EncodedFormat, options: RequestedEncoding): EncodingFault[] {
  const { sampleRate, bitrate, bitDepth } = options;
  const can = ABILITIES[format];
  const faults: EncodingFault[] = [];
  if (sampleRate !== undefined && !isAllowed(sampleRate, can.sampleRate)) {
    faults.push({
      field: 'sampleRate',
      message: `must be ${describe(can.sampleRate)} Hz for ${format}`,
    });
  } else if (format === 'flac' && sampleRate !== undefined && !isFlacRate(sampleRate)) {
    faults.push({ field: 'sampleRate', message: 'must be a multiple of 10 above 65,535 Hz for flac' });
  }
  if (bitrate !== undefined) {
    const allowed = can.bitrate?.(options);
    if (allowed === undefined) {
      faults.push({ field: 'bitrate', message: `cannot be chosen for ${format}: mp3, aac and ogg have one` });
    } else if (!isAllowed(bitrate, allowed)) {
      faults.push({
        field: 'bitrate',
        message: `must be ${describe(allowed)} bits a second for ${format}${describeSound(can, options)}`,
      });
    }
  }
  if (bitDepth !== undefined) {
    if (can.bitDepth === undefined) {
      faults.push({ field: 'bitDepth', message: `cannot be chosen for ${format}: wav and flac have one` });
    } else if (!isAllowed(bitDepth, can.bitDepth)) {
      faults.push({ field: 'bitDepth', message: `must be ${describe(can.bitDepth)} bits for ${format}` });
    }
  }
  if (options.md5 === true && format !== 'flac') {
    faults.push({ field: 'md5', message: `cannot be written to ${format}: only flac has one` });
  }
  return faults;
}

/** The options that require encoding: all except the MD5 of copied audio. Undefined: none. */
export function soundOptions<E extends RequestedEncoding>(
  encoding: E | undefined,
): Omit<E, 'md5'> | undefined {
  const { md5: _, ...sound } = encoding ?? {};
  return Object.keys(sound).length === 0 ? undefined : (sound as Omit<E, 'md5'>);
}

export interface PresetEncoding {
  readonly format: EncodedFormat;
  readonly encoding: RequestedEncoding;
}

/**
 * The combination of a preset and the request's own fields, which take precedence. A format other than the
 * preset's uses its default bitrate.
 */
export function applyPreset(
  preset: 'speech',
  outputFormat: EncodedFormat | undefined,
  encoding: RequestedEncoding | undefined,
): PresetEncoding {
  const { format, bitrate, ...sound } = PRESETS[preset];
  const isOwnFormat = outputFormat === undefined || outputFormat === format;
  return {
    format: outputFormat ?? format,
    encoding: { ...sound, ...(isOwnFormat ? { bitrate } : {}), ...encoding },
  };
}

const PRESETS = {
  speech: { format: 'mp3', bitrate: 48_000, sampleRate: 16_000, channels: 1 },
} as const;

/** The rates that a frame header can state (RFC 9639 section 9.1.2). */
function isFlacRate(sampleRate: number): boolean {
  return sampleRate <= 65_535 || sampleRate % 10 === 0;
}

function mp3BitratesAt(sampleRate: number | undefined): readonly number[] {
  if (sampleRate === undefined) return MP3_BITRATES;
  if (MPEG_1_RATES.includes(sampleRate)) return MPEG_1_BITRATES;
  if (MPEG_25_RATES.includes(sampleRate)) return MPEG_25_BITRATES;
  // Any other rate is refused by its own check.
  return MPEG_2_RATES.includes(sampleRate) ? MPEG_2_BITRATES : MP3_BITRATES;
}

/** A frame of 1,024 samples has at most 6,144 bits per channel (ISO/IEC 14496-3, 4.5.1.1). */
function aacBitrates({ sampleRate, channels }: Sound): Allowed {
  const most = sampleRate === undefined ? MAX_AAC_BITRATE : 6 * sampleRate * (channels ?? MAX_AAC_CHANNELS);
  return { minimum: MIN_AAC_BITRATE, maximum: Math.min(MAX_AAC_BITRATE, most) };
}

function isAllowed(value: number, allowed: Allowed): boolean {
  if ('minimum' in allowed) return value >= allowed.minimum && value <= allowed.maximum;
  return allowed.includes(value);
}

function describe(allowed: Allowed): string {
  return 'minimum' in allowed
    ? `from ${group(allowed.minimum)} to ${group(allowed.maximum)}`
    : allowed
        .map(group)
        .join(', ')
        .replace(/, ([^ ]+)$/, ' or $1');
}

/** As far as the bitrates depend on it. */
function describeSound({ bitrateFollows }: FormatAbilities, { sampleRate, channels }: Sound): string {
  const rate = bitrateFollows.includes('sampleRate') ? sampleRate : undefined;
  const count = bitrateFollows.includes('channels') ? channels : undefined;
  return [
    ...(rate === undefined ? [] : [` at ${group(rate)} Hz`]),
    ...(count === undefined ? [] : [` with ${count} ${count === 1 ? 'channel' : 'channels'}`]),
  ].join('');
}

function group(value: number): string {
  return value.toLocaleString('en-US');
}

function toBits(kilobits: number): number {
  return kilobits * 1_000;
}
