/**
 * Draws waveforms in what jobs leave of the cores: one at a time, and none as soon as jobs hold all slots. The segments
 * are read from the store as they are decoded.
 */
import { extname } from 'node:path/posix';
import { ObjectNotFoundError, type ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import type { Logger } from '@audiosplit/chassis/process/log';
import type { SourceContainer } from '@audiosplit/engine/formats/formats';
import { isAttack, MediaError } from '@audiosplit/engine/media-error';
import type { Sandbox } from '@audiosplit/engine/sandbox/sandbox';
import { drawWaveform } from '@audiosplit/engine/waveform/draw-waveform';
import {
  type DrawnSegment,
  type DrawWaveformRequest,
  WaveformOutcome,
} from '@audiosplit/proto/splitter/v1/splitter';
import { count } from '../metrics.ts';
import { openScratch } from '../work/scratch.ts';
import type { CoreTurns } from '../work/shares/core-turns.ts';
import { encodeWaveform } from './waveform-data.ts';

/** As many as show 0.2 s of an hour each; some 40 kB. */
const MAX_PIXELS = 20_000;

/** The containers of segments, by the extension of their objects. */
const CONTAINERS: Readonly<Record<string, SourceContainer>> = {
  '.mp3': 'mp3',
  '.wav': 'wav',
  '.flac': 'flac',
  '.ogg': 'ogg',
  '.opus': 'ogg',
  '.m4a': 'mp4',
  '.aac': 'adts',
};

export interface WaveformRequest extends Pick<DrawWaveformRequest, 'accountId' | 'durationMs'> {
  readonly segments: readonly Pick<DrawnSegment, 'objectKey' | 'startMs' | 'sizeBytes'>[];
}

interface WaveformAnswer {
  readonly outcome: WaveformOutcome;
  readonly waveform?: Uint8Array<ArrayBuffer>;
}

interface WaveformsOptions {
  readonly store: ObjectStore;
  readonly cores: Pick<CoreTurns, 'room'>;
  readonly scratchDir: string;
  readonly ffmpegPath: string;
  readonly sandbox: Sandbox;
  readonly log: Logger;
}

export interface Waveforms extends Disposable {
  draw(request: WaveformRequest, signal: AbortSignal): Promise<WaveformAnswer>;
}

class NoRoomError extends Error {
  override readonly name = 'NoRoomError';
}

export function createWaveforms(options: WaveformsOptions): Waveforms {
  const { cores, log } = options;
  const closing = new AbortController();
  let isDrawing = false;
  const requireRoom = () => {
    if (cores.room() === 0 || closing.signal.aborted) throw new NoRoomError();
  };

  async function draw(request: WaveformRequest, signal: AbortSignal): Promise<WaveformAnswer> {
    if (isDrawing) return { outcome: WaveformOutcome.NO_ROOM };
    isDrawing = true;
    try {
      requireRoom();
      const waveform = await drawSegments(options, request, {
        signal: AbortSignal.any([signal, closing.signal]),
        onProgress: requireRoom,
      });
      return { outcome: WaveformOutcome.DRAWN, waveform };
    } catch (error) {
      if (error instanceof NoRoomError || closing.signal.aborted) return { outcome: WaveformOutcome.NO_ROOM };
      if (isAttack(error)) {
        count('audiosplit_decoder_attacks_total', {});
        log.error(
          { err: error, accountId: request.accountId },
          'a segment made ffmpeg do what no codec does',
        );
      } else if (!(error instanceof MediaError) && !(error instanceof ObjectNotFoundError)) throw error;
      return { outcome: WaveformOutcome.UNDECODABLE };
    } finally {
      isDrawing = false;
    }
  }

  return {
    async draw(request, signal) {
      const answer = await draw(request, signal);
      count('audiosplit_splitter_waveforms_total', { outcome: WORDS[answer.outcome] });
      return answer;
    },
    [Symbol.dispose]: () => closing.abort(new Error('the splitter stops')),
  };
}

const WORDS = {
  [WaveformOutcome.UNSPECIFIED]: 'undecodable',
  [WaveformOutcome.DRAWN]: 'drawn',
  [WaveformOutcome.NO_ROOM]: 'no_room',
  [WaveformOutcome.UNDECODABLE]: 'undecodable',
} as const;

async function drawSegments(
  { store, scratchDir, ffmpegPath, sandbox }: WaveformsOptions,
  { durationMs, segments }: WaveformRequest,
  watch: { readonly signal: AbortSignal; readonly onProgress: () => void },
): Promise<Buffer<ArrayBuffer>> {
  await using scratch = await openScratch(scratchDir, 'waveform');
  const files = segments.map(({ objectKey, startMs, sizeBytes }) => {
    const container = CONTAINERS[extname(objectKey)];
    if (container === undefined) throw new MediaError('UNSUPPORTED_MEDIA', 'The format is not known.');
    return {
      container,
      startSeconds: Number(startMs) / 1_000,
      sizeBytes: Number(sizeBytes),
      open: async () => (await store.get(objectKey)).body,
    };
  });
  const seconds = Number(durationMs) / 1_000;
  return encodeWaveform(
    await drawWaveform({
      files,
      seconds,
      maxPixels: MAX_PIXELS,
      ffmpegPath,
      sandbox,
      workDir: scratch.path,
      ...watch,
    }),
  );
}
