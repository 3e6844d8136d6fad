/**
 * Draws waveforms on the cores that jobs do not use: one at a time, and none while jobs hold all slots. The
 * segments are decoded while they are read from the store. A dry run has no segments; its uploaded source is
 * read instead.
 */
import { ObjectNotFoundError, type ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import type { Logger } from '@audiosplit/chassis/process/log';
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
import { openDrawnObject } from './drawn-object.ts';
import { MAX_PIXELS } from './stored-waveform.ts';
import { encodeWaveform } from './waveform-data.ts';

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
        decoders: cores.room,
      });
      return { outcome: WaveformOutcome.DRAWN, waveform };
    } catch (error) {
      if (error instanceof NoRoomError || closing.signal.aborted) return { outcome: WaveformOutcome.NO_ROOM };
      if (isAttack(error)) {
        count('audiosplit_decoder_attacks_total', {});
        const { accountId, segments } = request;
        // The keys of a job's segments contain its id.
        const objectKey = segments[0]?.objectKey;
        log.error({ err: error, accountId, objectKey }, 'the source tried to take over ffmpeg');
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
  { accountId, durationMs, segments }: WaveformRequest,
  watch: Pick<Parameters<typeof drawWaveform>[0], 'signal' | 'onProgress' | 'decoders'>,
): Promise<Buffer<ArrayBuffer>> {
  await using scratch = await openScratch(scratchDir, 'waveform');
  const files = segments.map(({ objectKey, startMs, sizeBytes }) => ({
    startSeconds: Number(startMs) / 1_000,
    sizeBytes: Number(sizeBytes),
    open: () => openDrawnObject(store, accountId, objectKey),
  }));
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
