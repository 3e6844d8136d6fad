/** The information about a source from decoding its first frame and reading its headers. */

import type { AudioStreamInfo } from '../../ffmpeg/stream-info.ts';
import type { PcmFormat } from '../../formats/formats.ts';
import type { Tags } from '../tags/tags.ts';
import type { EndTrim } from '../trim/end-trim.ts';

export interface ProbedSource {
  readonly stream: AudioStreamInfo;
  readonly sampleRateHz: number;
  readonly channelCount: number;
  readonly tags: Tags;
  /**
   * The length that a header claims, in seconds. It is an estimate for progress, and decides whether the
   * source is counted before encoding.
   */
  readonly claimedSeconds: number | undefined;
  /** The same exact to the sample, if the header counts in samples. */
  readonly claimedSamples: number | undefined;
  readonly trimEnd: EndTrim;
  /**
   * The number of samples that the decoder returns before the first audible one, if ffmpeg does not remove
   * them. Default: 0.
   */
  readonly primingSamples?: number;
  /** ffmpeg's name of the decoder; absent: ffmpeg chooses. */
  readonly decoder?: string | undefined;
  /**
   * Whether the source is WMA and the decoder an older one, which omits the last frame of WMA 1 and 2 and
   * returns all padding of WMA Pro.
   */
  readonly isOldWma?: boolean | undefined;
  /** Set if the source is plain PCM after a header that gives its length. */
  readonly rawPcm?: RawPcm | undefined;
}

export interface RawPcm {
  readonly format: PcmFormat;
  /** In the source, which may end earlier. */
  readonly startByte: number;
  readonly endByte: number;
}
