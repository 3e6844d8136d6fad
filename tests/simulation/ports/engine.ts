/**
 * Replaces the engine that cuts audio: it takes as long, produces segments, prepares some sources for several
 * splitters, converts the parts of others, and sometimes fails as sources and engines do.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SplitOptions, SplitResult } from '@audiosplit/engine/media';
import { MediaError } from '@audiosplit/engine/media-error';
import { CorruptPieceError } from '@audiosplit/engine/parts/corrupt-piece';
import type { PartSpec } from '@audiosplit/engine/parts/part-spec';
import type { Engine } from '@audiosplit/splitter/service';
import type { World } from '../world/world.ts';

const SAMPLE_RATE_HZ = 1_000;
const SEGMENT_BYTES = 64;
const PIECE_BYTES = 32;
const DIVISION_RATE = 0.4;
const FAILURE_RATE = 0.06;
const MAX_SEGMENT_WORK_MS = 7_000;

export function createSimulatedEngine(world: World): Engine {
  const { random } = world;

  const isBroken = (what: string, isMediaFault: boolean) =>
    isMediaFault
      ? new MediaError('UNSUPPORTED_MEDIA', 'This is not audio.')
      : new Error(`${what} (injected)`);

  async function handOut(
    { scratchDir, signal, onSegment }: SplitOptions,
    index: number,
    segmentMs: number,
    kind: 'segment' | 'piece',
  ): Promise<void> {
    await world.delay(random.between(200, MAX_SEGMENT_WORK_MS));
    signal.throwIfAborted();
    const sizeBytes = kind === 'piece' ? PIECE_BYTES : SEGMENT_BYTES;
    const path = join(scratchDir, `${index}.mp3`);
    await writeFile(path, Buffer.alloc(sizeBytes));
    await onSegment({
      index,
      path,
      extension: 'mp3',
      contentType: 'audio/mpeg',
      startSample: index * segmentMs,
      sampleCount: segmentMs,
      sampleRateHz: SAMPLE_RATE_HZ,
      sizeBytes,
      ...(kind === 'piece' ? { isPiece: true } : {}),
    });
  }

  async function convertPart(options: SplitOptions, part: PartSpec): Promise<SplitResult> {
    const { firstSegment, segmentCount, segmentDurationSeconds } = part;
    let readBytes = 0;
    for await (const chunk of options.source as AsyncIterable<Uint8Array>) readBytes += chunk.length;
    if (readBytes !== segmentCount * PIECE_BYTES) throw new Error(`a part of ${readBytes} bytes`);
    if (random.chance(FAILURE_RATE / 2)) throw new CorruptPieceError('The pieces do not join.');
    if (random.chance(FAILURE_RATE)) throw isBroken('a part broke', random.chance(0.3));
    const segmentMs = segmentDurationSeconds * SAMPLE_RATE_HZ;
    for (let done = 0; done < segmentCount; done++) {
      await handOut(options, firstSegment + done, segmentMs, 'segment');
      options.onProgress((done + 1) / segmentCount);
    }
    return resultOf(segmentCount, segmentMs);
  }

  async function split(options: SplitOptions): Promise<SplitResult> {
    if (options.part !== undefined) return convertPart(options, options.part);
    const count = random.between(1, 3);
    const segmentSeconds = random.between(1, 12) * 60;
    const segmentMs = segmentSeconds * SAMPLE_RATE_HZ;
    const failsAt = random.chance(FAILURE_RATE) ? random.between(0, count - 1) : count;
    const isMediaFault = random.chance(0.5);
    const divides = random.chance(DIVISION_RATE);
    if (options.maxSourceDurationMs !== undefined && segmentMs * count > options.maxSourceDurationMs)
      throw new MediaError('QUOTA_EXCEEDED', 'The source is longer than what is left.');
    const kind = options.division !== undefined && divides && count > 1 ? 'piece' : 'segment';
    for (let index = 0; index < count; index++) {
      if (index === failsAt) throw isBroken('the engine broke', isMediaFault);
      await handOut(options, index, segmentMs, kind);
      options.onProgress((index + 1) / count);
    }
    const result = resultOf(count, segmentMs);
    return kind === 'piece' ? { ...result, parts: partsOf(count, segmentSeconds) } : result;
  }

  return { split, ffmpegPath: '', sandbox: { level: 'full' }, async [Symbol.asyncDispose]() {} };
}

function resultOf(count: number, segmentMs: number): SplitResult {
  return {
    outputFormat: 'mp3',
    segmentCount: count,
    sourceSampleCount: segmentMs * count,
    sourceSampleRateHz: SAMPLE_RATE_HZ,
    sourceSizeBytes: count * SEGMENT_BYTES,
  };
}

/** A part for each segment: the maximum number. Only the fields that the splitter reads are set. */
function partsOf(count: number, segmentDurationSeconds: number): PartSpec[] {
  const segmentSamples = segmentDurationSeconds * SAMPLE_RATE_HZ;
  return Array.from({ length: count }, (_, index) => {
    const part: Partial<PartSpec> = {
      pcm: { sampleRateHz: SAMPLE_RATE_HZ } as PartSpec['pcm'],
      segmentDurationSeconds,
      cover: null,
      firstSegment: index,
      segmentCount: 1,
      startSample: index * segmentSamples,
      endSample: (index + 1) * segmentSamples,
      firstPieceByte: index * PIECE_BYTES,
      pieces: [{ sizeBytes: PIECE_BYTES, sampleCount: segmentSamples }],
    };
    return part as PartSpec;
  });
}
