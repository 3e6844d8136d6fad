import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Piece } from '@audiosplit/cuts/plan/piece';
import { copyRoute } from '../copy-route.ts';
import { spanOf } from '../cuts/planned/plan-pieces.ts';
import { UNBOUNDED_ROOM } from '../output/scratch-room.ts';
import type { CopySource } from './ceiling.ts';
import { encodePieces } from './encode-passes.ts';
import { openPlannedSource } from './planned-source.ts';
import type { PlannedSplit } from './prepare.ts';

/**
 * Encodes the audio to split as one file, for formats whose size only encoding shows: the file is then cut by
 * copying.
 */
export async function encodeInOneFile(split: PlannedSplit): Promise<CopySource> {
  const { request, options, runtime, source, probe, output, route, totalSeconds } = split;
  if (route.kind !== 'encode') throw new TypeError('the source is copied');
  const span = spanOf(request, totalSeconds);
  const piece: Piece = { ...span, endKind: 'end', title: route.probed.tags.get('title') };
  const path = join(runtime.workDir, `whole.${route.shape.encoding.extension}`);
  await encodePieces({
    source,
    probe,
    pieces: [piece],
    totalSeconds,
    limits: {},
    output,
    scratchRoom: options.scratchRoom ?? UNBOUNDED_ROOM,
    runtime,
    onSegment: async (_, segment) => await rename(segment.path, path),
    onProgress: () => undefined,
  });
  const whole = await openPlannedSource({ path });
  // By its own container, because the name `ogg` would mean Vorbis, and Opus stays Opus.
  const copied = copyRoute(whole.sniffed, { audioMd5: output.audioMd5 });
  const measuring = copyRoute(whole.sniffed, {});
  if (copied === undefined || measuring === undefined) throw new Error('what was encoded cannot be cut');
  return {
    splitter: copied.splitter,
    isCutBetweenPackets: copied.isCutBetweenPackets,
    measuring: measuring.splitter,
    file: whole.file,
    runtime,
    offsetSeconds: span.startSeconds,
    totalSeconds: span.endSeconds,
  };
}
