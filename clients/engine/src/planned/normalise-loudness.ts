import type { CutRequest } from '@audiosplit/cuts/cut-request';
import type { Span } from '@audiosplit/cuts/plan/piece';
import { piecesOfRanges, spanOf } from '../cuts/planned/plan-pieces.ts';
import type { Loudness } from '../media.ts';
import { gainFor, measureLoudness } from '../sound/loudness.ts';
import type { PlannedSplit } from './prepare.ts';

/** One gain for all segments, from the loudness of the audio to split; undefined if none is requested. */
export async function normaliseLoudness({
  request,
  route,
  runtime,
  source,
  totalSeconds,
}: PlannedSplit): Promise<Loudness | undefined> {
  const target = request.encoding?.loudness?.target;
  if (target === undefined || route.kind !== 'encode') return undefined;
  const { file } = source;
  const stretches = stretchesOf(request, totalSeconds).map(({ startSeconds, endSeconds }) => ({
    fromSeconds: startSeconds,
    toSeconds: endSeconds,
  }));
  const { probed, shape } = route;
  const { container } = file;
  const measured = await measureLoudness({
    runtime,
    file,
    container,
    probed,
    pcm: { ...shape.pcm, format: 'f32le' },
    stretches,
  });
  return gainFor(measured, target);
}

/** The parts to split, in order and without repetition. */
export function stretchesOf(request: CutRequest, totalSeconds: number): Span[] {
  if (request.splitMode !== 'ranges' || !request.ranges?.length) return [spanOf(request, totalSeconds)];
  const ranges = piecesOfRanges(request.ranges, totalSeconds).sort(
    (one, other) => one.startSeconds - other.startSeconds,
  );
  const stretches: Span[] = [];
  for (const { startSeconds, endSeconds } of ranges) {
    const last = stretches.at(-1);
    if (last !== undefined && startSeconds <= last.endSeconds) {
      stretches.pop();
      stretches.push({ ...last, endSeconds: Math.max(last.endSeconds, endSeconds) });
    } else stretches.push({ startSeconds, endSeconds });
  }
  return stretches;
}
