/** Options of a split, and where each stands in the request. The API says which of them go together. */
import type { IDataObject, INodeProperties } from 'n8n-workflow';

const OPTION_PATHS: Readonly<Record<string, readonly [string, string?]>> = {
  audioTrack: ['audioTrack'],
  bitrate: ['encoding', 'bitrate'],
  channels: ['encoding', 'channels'],
  dryRun: ['dryRun'],
  fileName: ['fileName'],
  keepSilence: ['silence', 'keepSilence'],
  maxDuration: ['maxDuration'],
  minDuration: ['silence', 'minDuration'],
  minSilence: ['silence', 'minSilence'],
  outputFormat: ['outputFormat'],
  overlap: ['overlap'],
  preset: ['preset'],
  sampleRate: ['encoding', 'sampleRate'],
  threshold: ['silence', 'threshold'],
  trimEnd: ['trim', 'end'],
  trimStart: ['trim', 'start'],
  window: ['snapToSilence', 'window'],
};

/** The API takes seconds and decibels as numbers, and "0:30" or "auto" as text. n8n's fields give text for both. */
export function numberOrText(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value;
}

const TEXT_OR_NUMBER = new Set(['audioTrack', 'threshold', 'trimEnd', 'trimStart']);

/** The fields of the request that the chosen options stand for. */
export function requestOfOptions(options: IDataObject): IDataObject {
  const request: IDataObject = {};
  for (const [name, given] of Object.entries(options)) {
    const [field, inner] = OPTION_PATHS[name] ?? [];
    if (field === undefined || given === '') continue;
    const value = (TEXT_OR_NUMBER.has(name) ? numberOrText(given) : given) as typeof given;
    request[field] = inner === undefined ? value : { ...(request[field] as IDataObject), [inner]: value };
  }
  if (typeof options.loudness === 'number')
    request.encoding = { ...(request.encoding as IDataObject), loudness: { target: options.loudness } };
  return request;
}

const number = (displayName: string, name: string, standard: number, description: string) =>
  ({ displayName, name, type: 'number', default: standard, description }) as const;
const string = (displayName: string, name: string, description: string) =>
  ({ displayName, name, type: 'string', default: '', description }) as const;

export const optionProperties: INodeProperties = {
  displayName: 'Options',
  name: 'options',
  type: 'collection',
  placeholder: 'Add Option',
  default: {},
  displayOptions: { show: { operation: ['split'] } },
  options: [
    string(
      'Audio Track',
      'audioTrack',
      'An index from 0 or a language code of ISO 639, where the source has several tracks',
    ),
    number('Bitrate', 'bitrate', 64_000, 'Bits a second; mp3, aac and ogg only'),
    number('Channels', 'channels', 1, '1 is mono, 2 is stereo'),
    {
      displayName: 'Dry Run',
      name: 'dryRun',
      type: 'boolean',
      default: true,
      description: 'Whether to tell times, names and sizes of the segments without making files',
    },
    string('File Name', 'fileName', 'Template, such as {number} {title}'),
    number('Keep Silence', 'keepSilence', 0.3, 'Seconds at each edge; longer silences are dropped'),
    number('Loudness', 'loudness', -16, 'Target in LUFS'),
    number('Max Duration', 'maxDuration', 900, 'Seconds. No segment is longer.'),
    number('Min Duration', 'minDuration', 1, 'Seconds, at silences. A shorter piece is joined to the next.'),
    number('Min Silence', 'minSilence', 0.5, 'Seconds. Shorter silences make no cut.'),
    {
      displayName: 'Output Format',
      name: 'outputFormat',
      type: 'options',
      default: 'mp3',
      description: 'Left out, that of the source, as far as it can be cut',
      options: ['aac', 'flac', 'mp3', 'ogg', 'wav'].map((value) => ({ name: value.toUpperCase(), value })),
    },
    number('Overlap', 'overlap', 1, 'Seconds. Every segment but the first begins that much before its cut.'),
    {
      displayName: 'Preset',
      name: 'preset',
      type: 'options',
      default: 'speech',
      options: [{ name: 'Speech', value: 'speech', description: 'Mono, 16 kHz, for speech-to-text' }],
    },
    number('Sample Rate', 'sampleRate', 16_000, 'Hz'),
    string('Silence Threshold', 'threshold', 'In dBFS, or auto'),
    number(
      'Snap to Silence',
      'window',
      5,
      'In seconds. A cut moves back by at most this, to a silence or the quietest spot.',
    ),
    string('Trim End', 'trimEnd', 'What lies behind it is left out: seconds, or [H:]M:SS[.mmm]'),
    string('Trim Start', 'trimStart', 'What lies before it is left out: seconds, or [H:]M:SS[.mmm]'),
  ],
};
