/**
 * What a source is split into where it is silent.
 *
 * Every silence that touches neither end of what is split is a cut, in its middle. Pieces that are too short, from cut to
 * cut, are joined, and only then silence is dropped: at the cuts that are left, and at both ends. What remains of a piece
 * has a tenth of a second at least, as services refuse shorter files; some silence stays for that.
 */
import { MIN_REMAINDER_SECONDS } from '../cuts/cut.ts';
import { MediaError } from '../media-error.ts';
import { SPAN_SECONDS } from './levels.ts';
import { isLongEnough, type Silence } from './silence.ts';

export interface SilencePiece {
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** `silence` for the last one too where silence was dropped behind it. */
  readonly endKind: 'silence' | 'end';
}

interface SilenceRules {
  /** What is split. */
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly minSilenceSeconds: number;
  readonly minDurationSeconds: number;
  /** Absent: no silence is dropped. */
  readonly keepSilenceSeconds?: number | undefined;
}

/** Where pieces meet: the silence before the cut goes to the piece before, that behind it to the next. */
interface Border {
  readonly cutSeconds: number;
  readonly silence: Silence;
}

/** How far a silence that goes on to an end may seem to be from it: levels end with the last whole span. */
const TOUCHING_SECONDS = 1.5 * SPAN_SECONDS;

/** `silences` in order, as `findSilences` gives them. Throws NO_SOUND where only silence would be dropped. */
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

/** The silences at both ends of what is split. */
interface Outer {
  readonly leading?: Silence | undefined;
  readonly trailing?: Silence | undefined;
}

/** The part within what is split; it touches an end that it seems to touch. */
function clipped(silence: Silence, start: number, end: number): readonly Silence[] {
  const touchesStart = silence.startSeconds <= start + TOUCHING_SECONDS;
  const touchesEnd = silence.endSeconds >= end - TOUCHING_SECONDS;
  const startSeconds = touchesStart ? start : silence.startSeconds;
  const endSeconds = touchesEnd ? end : silence.endSeconds;
  const isInside = silence.endSeconds > start && silence.startSeconds < end;
  return isInside && endSeconds > startSeconds ? [{ startSeconds, endSeconds }] : [];
}

/** The borders that are left when too short pieces have joined the next, and the last one the one before. */
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

/** Where a silence is shorter than what both its sides keep, nothing of it is dropped. */
function keptStart(before: Border | undefined, { leading }: Outer, start: number, keep: number): number {
  const silenceEnd = before === undefined ? leading?.endSeconds : before.silence.endSeconds;
  return silenceEnd === undefined ? start : Math.max(start, silenceEnd - keep);
}

function keptEnd(after: Border | undefined, { trailing }: Outer, end: number, keep: number): number {
  const silenceStart = after === undefined ? trailing?.startSeconds : after.silence.startSeconds;
  return silenceStart === undefined ? end : Math.min(end, silenceStart + keep);
}

/** Takes in silence of both sides, as far as the piece goes, where less than a file's least would be left. */
function longEnough(kept: Silence, whole: Silence): Silence {
  const missing = MIN_REMAINDER_SECONDS - (kept.endSeconds - kept.startSeconds);
  if (missing <= 0) return kept;
  const startSeconds = Math.max(whole.startSeconds, kept.startSeconds - missing / 2);
  const endSeconds = Math.min(whole.endSeconds, startSeconds + MIN_REMAINDER_SECONDS);
  return { startSeconds: Math.max(whole.startSeconds, endSeconds - MIN_REMAINDER_SECONDS), endSeconds };
}
