/** A cut in words, as in "every 10 min, in silences, at most 25 MB". Of rows of lists only the plain numbers are known. */
import { formatBytes, formatSpan, plural } from '../format/format.ts';
import { formatTime } from '../format/typed-time.ts';
import { type Cut, secondsOf } from './cut.ts';

export function describeCut(cut: Cut): string {
  return [describeMode(cut), ...describeLimits(cut), ...describeRest(cut)].join(', ');
}

function describeMode(cut: Cut): string {
  const { segmentDuration, maxFileSize, silence, chapters, ranges, splitPoints, parts } = cut;
  switch (cut.splitMode) {
    case 'duration':
      return segmentDuration === undefined ? 'by length' : `every ${formatSpan(segmentDuration)}`;
    case 'fileSize':
      return maxFileSize === undefined ? 'by size' : `up to ${size(maxFileSize)} each`;
    case 'silence':
      return silence?.minSilence === undefined
        ? 'at silences'
        : `at silences of ${seconds(silence.minSilence)} or more`;
    case 'chapters':
      return chapters === undefined ? 'by chapters' : `by ${plural(chapters.length, 'given chapter')}`;
    case 'ranges':
      if (ranges !== undefined) return plural(ranges.length, 'given range');
      return splitPoints === undefined ? 'at given times' : `at ${plural(splitPoints.length, 'given time')}`;
    case 'parts':
      return parts === undefined ? 'into equal parts' : `into ${parts.toLocaleString('en')} equal parts`;
    default:
      return cut.splitMode satisfies never;
  }
}

/** Where a mode has no lengths of its own, what is snapped are the cuts that the caps make. */
function describeLimits(cut: Cut): string[] {
  const { splitMode, silence, maxDuration, maxFileSize, snapToSilence } = cut;
  const hasLengths = splitMode === 'duration' || splitMode === 'fileSize' || splitMode === 'parts';
  return [
    ...(hasLengths && snapToSilence !== undefined ? ['in silences'] : []),
    ...(silence?.keepSilence === undefined ? [] : ['silences left out']),
    ...(maxDuration === undefined ? [] : [`at most ${seconds(maxDuration)}`]),
    ...(maxFileSize === undefined || splitMode === 'fileSize' ? [] : [`at most ${size(maxFileSize)}`]),
    ...(!hasLengths && snapToSilence !== undefined ? ['divided in silences'] : []),
  ];
}

function describeRest({ overlap, trim, audioTrack, preset, encoding, dryRun }: Cut): string[] {
  return [
    ...(overlap === undefined || overlap === 0 ? [] : [`${seconds(overlap)} of overlap`]),
    ...(trim === undefined ? [] : [describeTrim(trim)]),
    ...(audioTrack === undefined
      ? []
      : [typeof audioTrack === 'number' ? `track ${audioTrack + 1}` : `track in “${audioTrack}”`]),
    ...(preset === undefined ? [] : ['for speech recognition']),
    ...(encoding === undefined ? [] : describeEncoding(encoding)),
    ...(dryRun === true ? ['dry run'] : []),
  ];
}

function describeTrim({ start, end }: NonNullable<Cut['trim']>): string {
  const from = start === undefined ? '' : `from ${formatTime(secondsOf(start))}`;
  const to = end === undefined ? '' : `up to ${formatTime(secondsOf(end))}`;
  return `only ${[from, to].filter((each) => each !== '').join(' ')}`;
}

function describeEncoding(encoding: NonNullable<Cut['encoding']>): string[] {
  const { sampleRate, channels, bitrate, bitDepth, loudness } = encoding;
  return [
    ...(channels === undefined ? [] : [channels === 1 ? 'mono' : 'stereo']),
    ...(sampleRate === undefined ? [] : [`${sampleRate / 1_000} kHz`]),
    ...(bitrate === undefined ? [] : [`${bitrate / 1_000} kbit/s`]),
    ...(bitDepth === undefined ? [] : [`${bitDepth} bits`]),
    ...(loudness === undefined ? [] : [`at ${formatSigned(loudness.target)} LUFS`]),
  ];
}

/** With a minus sign, not a hyphen. */
export function formatSigned(value: number): string {
  return value < 0 ? `−${-value}` : String(value);
}

/** To the fraction, which spans leave out. */
function seconds(length: number): string {
  if (Number.isInteger(length)) return formatSpan(length);
  return length < 60 ? `${length} s` : formatTime(length);
}

/** 25 MB, not 25.0 MB: a figure that somebody chose. */
function size(bytes: number): string {
  return formatBytes(bytes)
    .replace(/(\.\d*?)0+ /, '$1 ')
    .replace('. ', ' ');
}
