/** Options beside those that say where to cut, by the groups in which the help lists them. */
import { parseLengthSeconds, parseTimeSeconds } from '@audiosplit/client';
import { SPEECH_SERVICE_IDS } from '@audiosplit/cuts/speech-services';
import { type CutOption, rangeOf, within } from './cut-option.ts';
import { parseLevel, parseSizeBytes, parseThousands } from './quantities.ts';

/** Options that give the segments themselves: nothing lies between their cuts. */
const GIVEN_PIECES = ['chapters', 'chapters-from', 'split-at', 'ranges'];

export const CAP_OPTIONS = {
  for: {
    value: 'SERVICE',
    help: `what a speech-to-text service takes: ${SPEECH_SERVICE_IDS.join(', ')}`,
    parse: (text) => SPEECH_SERVICE_IDS.find((id) => id === text.toLowerCase()),
    expected: `one of ${SPEECH_SERVICE_IDS.join(', ')}`,
  },
  'max-size': {
    field: 'maxFileSize',
    value: 'SIZE',
    help: 'no segment is larger: 25MB, 25MiB, 26214400',
    parse: (text) => within(parseSizeBytes(text), 'maxFileSize'),
    expected: `a size ${rangeOf('maxFileSize')} bytes, such as 25MB, 25MiB or 26214400`,
  },
  'max-duration': {
    field: 'maxDuration',
    value: 'LENGTH',
    help: 'no segment is longer: 10m',
    parse: (text) => within(parseLengthSeconds(text), 'maxDuration'),
    expected: `a length ${rangeOf('maxDuration')} seconds, such as 90s, 10m or 1h`,
  },
  overlap: {
    field: 'overlap',
    value: 'LENGTH',
    help: 'each segment begins that much before its cut: 2s',
    parse: (text) => within(parseLengthSeconds(text), 'overlap'),
    expected: `a length ${rangeOf('overlap')} seconds, such as 2s or 0.5`,
    excludes: [...GIVEN_PIECES, 'keep-silence'],
  },
} as const satisfies Record<string, CutOption>;

export const SILENCE_OPTIONS = {
  snap: {
    field: 'snapToSilence.window',
    value: 'LENGTH',
    help: 'move a cut back to a silence, at most so far: 10s',
    parse: (text) => within(parseLengthSeconds(text), 'snapToSilence.window'),
    expected: `a length ${rangeOf('snapToSilence.window')} seconds, such as 10s`,
  },
  threshold: {
    field: { silence: 'silence.threshold', snap: 'snapToSilence.threshold' },
    value: 'DBFS',
    help: 'of --silence, else of --snap: what is below is silent, -40 or auto',
    parse: (text) => (text === 'auto' ? text : within(parseLevel(text), 'silence.threshold')),
    expected: `auto, or dBFS ${rangeOf('silence.threshold')}`,
  },
  'min-silence': {
    field: { silence: 'silence.minSilence', snap: 'snapToSilence.minSilence' },
    value: 'LENGTH',
    help: 'of --silence, else of --snap: shorter ones do not count',
    parse: (text) => within(parseLengthSeconds(text), 'silence.minSilence'),
    expected: `a length ${rangeOf('silence.minSilence')} seconds, such as 0.5 or 700ms`,
  },
  'min-duration': {
    field: { silence: 'silence.minDuration' },
    value: 'LENGTH',
    help: 'of --silence: a shorter piece is joined to the next',
    parse: (text) => within(parseLengthSeconds(text), 'silence.minDuration'),
    expected: `a length ${rangeOf('silence.minDuration')} seconds, such as 5s`,
  },
  'keep-silence': {
    field: { silence: 'silence.keepSilence' },
    value: 'LENGTH',
    help: 'of --silence: drop silences, but for so much at each edge',
    parse: (text) => within(parseLengthSeconds(text), 'silence.keepSilence'),
    expected: `a length ${rangeOf('silence.keepSilence')} seconds, such as 0.3`,
  },
} as const satisfies Record<string, CutOption>;

export const SOURCE_OPTIONS = {
  trim: {
    field: 'trim',
    value: 'RANGE',
    help: 'split this part of the source alone: 1:00-5:00, 1:00-, -5:00',
    parse: readTrim,
    expected: 'a range that ends above its beginning, such as 1:00-5:00, 1:00- or -5:00',
    excludes: ['split-at', 'ranges'],
  },
  track: {
    field: 'audioTrack',
    value: 'TRACK',
    help: 'which audio track: its index from 0, or a language such as eng',
    parse(text) {
      if (/^\d+$/.test(text)) return within(Number(text), 'audioTrack');
      return /^[a-z]{2,3}$/i.test(text) ? text : undefined;
    },
    expected: 'an index from 0, or a language code such as eng',
  },
} as const satisfies Record<string, CutOption>;

export const ENCODING_OPTIONS = {
  speech: {
    field: 'preset',
    help: 'for speech-to-text: mono, 16 kHz, mp3 at 48 kbit/s unless --to says another',
    parse: () => 'speech',
  },
  rate: {
    field: 'encoding.sampleRate',
    value: 'HZ',
    help: 'sample rate: 16000, 44.1k',
    parse: (text) => within(parseThousands(text), 'encoding.sampleRate'),
    expected: `whole Hz ${rangeOf('encoding.sampleRate')}, such as 16000 or 44.1k`,
  },
  channels: {
    field: 'encoding.channels',
    value: 'N',
    help: '1 or mono, 2 or stereo',
    parse: readChannels,
    expected: '1 or 2',
  },
  bitrate: {
    field: 'encoding.bitrate',
    value: 'RATE',
    help: 'bits a second of mp3, aac and ogg: 48k',
    parse: (text) => within(parseThousands(text), 'encoding.bitrate'),
    expected: `bits a second ${rangeOf('encoding.bitrate')}, such as 48k`,
  },
  'bit-depth': {
    field: 'encoding.bitDepth',
    value: 'N',
    help: 'bits a sample of wav and flac: 16 or 24',
    parse: (text) => (text === '16' || text === '24' ? Number(text) : undefined),
    expected: '16 or 24',
  },
  loudness: {
    field: 'encoding.loudness.target',
    value: 'LUFS',
    help: 'bring all segments to this loudness, by one gain: -16',
    parse: (text) => within(parseLevel(text), 'encoding.loudness.target'),
    expected: `LUFS ${rangeOf('encoding.loudness.target')}`,
  },
  md5: {
    field: 'encoding.md5',
    help: 'write the MD5 of its sound to copied flac, which takes decoding it',
    parse: () => true,
  },
} as const satisfies Record<string, CutOption>;

export const OUTPUT_OPTIONS = {
  name: {
    field: 'fileName',
    value: 'TEMPLATE',
    help: "names of the files, of {name}, {index}, {number}, {count}, {title}, {start}: '{number} {title}'",
    parse: (text) => (text.length >= 1 && text.length <= 500 ? text : undefined),
    expected: 'a template of 1 to 500 characters',
  },
  'dry-run': {
    field: 'dryRun',
    help: 'print what would be made, and write nothing',
    parse: () => true,
  },
  plan: {
    sameAs: 'dry-run',
    help: 'the same as --dry-run',
    parse: () => true,
  },
} as const satisfies Record<string, CutOption>;

function readChannels(text: string): number | undefined {
  switch (text.toLowerCase()) {
    case '1':
    case 'mono':
      return 1;
    case '2':
    case 'stereo':
      return 2;
    default:
      return undefined;
  }
}

function readTrim(text: string): { readonly start?: number; readonly end?: number } | undefined {
  const [, from = '', to = ''] = /^([^-]*)-([^-]*)$/.exec(text) ?? [];
  const start = from === '' ? undefined : within(parseTimeSeconds(from.trim()), 'trim.start');
  const end = to === '' ? undefined : within(parseTimeSeconds(to.trim()), 'trim.end');
  if ((from !== '' && start === undefined) || (to !== '' && end === undefined)) return undefined;
  if (start === undefined && end === undefined) return undefined;
  if (end !== undefined && end <= (start ?? 0)) return undefined;
  return { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) };
}
