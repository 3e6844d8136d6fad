/** The borders of segments, if they are known before anything is encoded. */

import type { Borders } from '../cuts/cut-rule.ts';
import { segmentLimitUnreachable } from '../media-error.ts';
import type { Conversion, ConvertOptions } from './conversion.ts';
import { buildWavHeader, frameBytes } from './samples/wav-header.ts';
import { COVER_OVERHEAD_BYTES } from './tags/embed-cover.ts';
import { longestSegmentTags, maxTagBytes } from './tags/tags.ts';

/** The delay of LAME's encoder plus that of the decoder, as ffmpeg runs it. */
const MP3_DELAY_SAMPLES = 1_105;

type Shape = Pick<Conversion, 'options' | 'encoding' | 'pcm' | 'probed' | 'cover'>;

/** What determines the size of a file besides its samples. */
type FileShape = Omit<Shape, 'options'> & { readonly tagsOf: ConvertOptions['tagsOf'] };

/** Undefined if only encoding shows how much fits. Throws SEGMENT_LIMIT_UNREACHABLE. */
export function segmentBorders(conversion: Shape): Borders | undefined {
  const { pcm, encoding, options } = conversion;
  return options.cut.borders(pcm.sampleRateHz, (limitBytes) => {
    const maxSamples = samplesWithin({ ...conversion, tagsOf: options.tagsOf }, limitBytes);
    if (maxSamples !== undefined && maxSamples < 1) {
      throw segmentLimitUnreachable(`any audio of this source as ${encoding.outputFormat}`);
    }
    return maxSamples;
  });
}

/** The maximum number of samples whose file is certain to stay within the limit. */
export function samplesWithin(
  { tagsOf, encoding, pcm, probed, cover }: FileShape,
  limitBytes: number,
): number | undefined {
  if (encoding.name === 'wav') {
    // One byte is for padding. RF64's longer header is needed only if the limit exceeds RIFF's.
    const mostSamples = Math.floor(limitBytes / frameBytes(pcm));
    const headerBytes = buildWavHeader(pcm, mostSamples, longestSegmentTags(probed.tags, tagsOf)).length + 1;
    return Math.floor((limitBytes - headerBytes) / frameBytes(pcm));
  }
  const bitrateBps = encoding.constantBitrateBps?.(pcm);
  if (bitrateBps !== undefined) {
    const samplesPerFrame = pcm.sampleRateHz >= 32_000 ? 1152 : 576;
    const bytesPerFrame = ((samplesPerFrame / 8) * bitrateBps) / pcm.sampleRateHz;
    // The information frame has the stream's own frame size, or the smallest that holds its 200 bytes.
    const delayFrames = Math.ceil(MP3_DELAY_SAMPLES / samplesPerFrame) + 1;
    const coverBytes = cover === undefined ? 0 : cover.bytes.length + COVER_OVERHEAD_BYTES;
    const tagBytes = maxTagBytes(probed.tags, tagsOf) + coverBytes;
    const overhead = tagBytes + Math.max(bytesPerFrame, 256) + delayFrames * bytesPerFrame + 1;
    return Math.floor((limitBytes - overhead) / bytesPerFrame) * samplesPerFrame;
  }
  return undefined;
}
