/**
 * The pieces of a source that is split at silences.
 *
 * Every silence that touches neither end of the audio to split is a cut, in its middle. Pieces that are too
 * short from cut to cut are joined. Only then silence is dropped: at the remaining cuts, and at both ends. At
 * least a tenth of a second of each piece remains, because services refuse shorter files; some silence is
 * kept for that.
 */
import { MIN_REMAINDER_SECONDS } from '../cuts/cut.ts';
import { MediaError } from '../media-error.ts';
import { SPAN_SECONDS } from './levels.ts';
import { isLongEnough, type Silence } from './silence.ts';

export interface SilencePiece {
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** `silence` also for the last piece if silence was dropped after it. */
  readonly endKind: 'silence' | 'end';
}

interface SilenceRules {
  /** The audio to split. */
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly minSilenceSeconds: number;
  readonly minDurationSeconds: number;
  /** Absent: no silence is dropped. */
  readonly keepSilenceSeconds?: number | undefined;
}

/** The border of two pieces: the silence before the cut belongs to the first, that after it to the second. */
interface Border {
  readonly cutSeconds: number;
  readonly silence: Silence;
}

/**
 * A silence that continues to an end may seem to stop this far before it, because levels end with the last
 * whole span.
 */
const TOUCHING_SECONDS = 1.5 * SPAN_SECONDS;

/**
 * `silences` are in the order of `findSilences`. Throws NO_SOUND if silence is to be dropped and there is
 * nothing else.
 */
export function silencePieces(silences: readonly Silence[], rules: SilenceRules): readonly SilencePiece[] {
  const { startSeconds, endSeconds, minSilenceSeconds, keepSilenceSeconds } = rules;
  const inside = silences.flatMap((silence) => clipped(silence, startSeconds, endSeconds));
  const isNothingElse = inside.some(({ startSeconds: from, endSeconds: to }) => {
    return from === startSeconds && to === endSeconds;
  });
  if (isNothingElse && keepSilenceSeconds !== undefined) {
    throw new MediaError('NO_SOUND', 'There is nothing but silence in what is to be split.');
  }
  const long = inside.filter(({ startSeconds: from, endSeconds: to }) =>
    isLongEnough(to - from, minSilenceSeconds),
  );
  const inner = long.filter(({ startSeconds: from, endSeconds: to }) => {
    return from !== startSeconds && to !== endSeconds;
  });
  const borders = joined(
    inner.map((silence) => ({ cutSeconds: middleOf(silence), silence })),
    rules,
  );
  const leading = long.find(({ startSeconds: from }) => from === startSeconds);
  const trailing = long.find(({ endSeconds: to }) => to === endSeconds);
  const outer: Outer = isNothingElse ? {} : { leading, trailing };
  return [undefined, ...borders].map((before, index) => {
    const after = borders[index];
    const whole = {
      startSeconds: before?.cutSeconds ?? startSeconds,
      endSeconds: after?.cutSeconds ?? endSeconds,
    };
    if (keepSilenceSeconds === undefined) return { ...whole, endKind: after ? 'silence' : 'end' };
    const kept = longEnough(
      {
        startSeconds: keptStart(before, outer, whole.startSeconds, keepSilenceSeconds),
        endSeconds: keptEnd(after, outer, whole.endSeconds, keepSilenceSeconds),
      },
      whole,
    );
    const endKind = after !== undefined || kept.endSeconds < endSeconds ? 'silence' : 'end';
    return { ...kept, endKind };
  });
}

/** The silences at both ends of the audio. */
interface Outer {
  readonly leading?: Silence | undefined;
  readonly trailing?: Silence | undefined;
}

/** The part inside the audio to split; a silence that seems to touch an end is extended to it. */
function clipped(silence: Silence, start: number, end: number): readonly Silence[] {
  const touchesStart = silence.startSeconds <= start + TOUCHING_SECONDS;
  const touchesEnd = silence.endSeconds >= end - TOUCHING_SECONDS;
  const startSeconds = touchesStart ? start : silence.startSeconds;
  const endSeconds = touchesEnd ? end : silence.endSeconds;
  const isInside = silence.endSeconds > start && silence.startSeconds < end;
  return isInside && endSeconds > startSeconds ? [{ startSeconds, endSeconds }] : [];
}

/**
 * The remaining borders, after pieces that are too short have joined the next one, and the last one the
 * previous.
 */
function joined(
  borders: readonly Border[],
  { startSeconds, endSeconds, minDurationSeconds }: SilenceRules,
): readonly Border[] {
  const leastSeconds = Math.max(minDurationSeconds, MIN_REMAINDER_SECONDS);
  const left: Border[] = [];
  let pieceStart = startSeconds;
  for (const border of borders) {
    if (border.cutSeconds - pieceStart < leastSeconds) continue;
    left.push(border);
    pieceStart = border.cutSeconds;
  }
  if (left.length > 0 && endSeconds - pieceStart < leastSeconds) left.pop();
  return left;
}

function middleOf({ startSeconds, endSeconds }: Silence): number {
  return (startSeconds + endSeconds) / 2;
}

/** If a silence is shorter than what both sides keep, nothing of it is dropped. */
function keptStart(before: Border | undefined, { leading }: Outer, start: number, keep: number): number {
  const silenceEnd = before === undefined ? leading?.endSeconds : before.silence.endSeconds;
  return silenceEnd === undefined ? start : Math.max(start, silenceEnd - keep);
}

function keptEnd(after: Border | undefined, { trailing }: Outer, end: number, keep: number): number {
  const silenceStart = after === undefined ? trailing?.startSeconds : after.silence.startSeconds;
  return silenceStart === undefined ? end : Math.min(end, silenceStart + keep);
}

/**
 * Extends the kept part with silence on both sides, as far as the piece extends, if it is shorter than the
 * minimum of a file.
 */
function longEnough(kept: Silence, whole: Silence): Silence {
  const missing = MIN_REMAINDER_SECONDS - (kept.endSeconds - kept.startSeconds);
  if (missing <= 0) return kept;
  const startSeconds = Math.max(whole.startSeconds, kept.startSeconds - missing / 2);
  const endSeconds = Math.min(whole.endSeconds, startSeconds + MIN_REMAINDER_SECONDS);
  return { startSeconds: Math.max(whole.startSeconds, endSeconds - MIN_REMAINDER_SECONDS), endSeconds };
}
