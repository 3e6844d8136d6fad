/** What decoding the first frame and reading the headers tell about a source. */

import type { AudioStreamInfo } from '../../ffmpeg/stream-info.ts';
import type { PcmFormat } from '../../formats/formats.ts';
import type { Tags } from '../tags/tags.ts';
import type { EndTrim } from '../trim/end-trim.ts';

export interface ProbedSource {
  readonly stream: AudioStreamInfo;
  readonly sampleRateHz: number;
  readonly channelCount: number;
  readonly tags: Tags;
  /** What a header says, in seconds; a guess for progress, and for what is better counted before it is encoded. */
  readonly claimedSeconds: number | undefined;
  /** The same to the sample, where the header counts in samples. */
  readonly claimedSamples: number | undefined;
  readonly trimEnd: EndTrim;
  /** What the decoder gives before the first audible sample, where ffmpeg leaves that in. Default: 0. */
  readonly primingSamples?: number;
  /** ffmpeg's name of the decoder; absent: as ffmpeg chooses. */
  readonly decoder?: string | undefined;
  /** Whether it is WMA and the decoder an older one, which gives no last frame of WMA 1 and 2, and all padding of WMA Pro. */
  readonly isOldWma?: boolean | undefined;
  /** Where the source is nothing but PCM behind a header that tells how much of it there is. */
  readonly rawPcm?: RawPcm | undefined;
}

export interface RawPcm {
  readonly format: PcmFormat;
  /** In the source, which may end before. */
  readonly startByte: number;
  readonly endByte: number;
}
