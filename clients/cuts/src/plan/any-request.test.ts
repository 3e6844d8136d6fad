/** What holds for the pieces of any request, and of any source. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { CutRequest } from '../cut-request.ts';
import { anyRequest, seconds, snapToSilence } from './any-request.fixture.ts';
import { contentSeconds, type Piece, type Span } from './piece.ts';
import { PlanError } from './plan-error.ts';
import { spanOf } from './plan-pieces.ts';
import { planOf as plan, sourceOf } from './source-facts.fixture.ts';

const BYTES_PER_SECOND = 16_000;
const requests = anyRequest({ seconds: 5_000, bytes: 4_000_000 });
const total = seconds(1, 5_000);

/** Undefined if the source is too short for the request, or the request for it. */
function planOf(request: CutRequest, totalSeconds: number): readonly Piece[] | undefined {
  try {
    return plan(request, sourceOf(totalSeconds, { bytesPerSecond: BYTES_PER_SECOND }));
  } catch (error) {
    if (error instanceof PlanError) return undefined;
    throw error;
  }
}

/** What the pieces must cover, without a gap inside a stretch. */
function stretchesOf(request: CutRequest, totalSeconds: number): readonly Span[] {
  if (request.splitMode === 'ranges' && request.ranges !== undefined)
    return request.ranges.map(({ start, end = totalSeconds }) => ({
      startSeconds: start,
      endSeconds: Math.min(end, totalSeconds),
    }));
  const span = spanOf(request, totalSeconds);
  const keepSilence = request.splitMode === 'silence' ? request.silence?.keepSilence : undefined;
  if (keepSilence === undefined) return [span];
  return sourceOf(totalSeconds).silencePieces(span, keepSilence);
}

function assertNear(actual: number | undefined, expected: number, what: string): void {
  assert.ok(Math.abs((actual ?? Number.NaN) - expected) < 1e-6, `${what}: ${actual}, not ${expected}`);
}

const contentStart = ({ contentStartSeconds, startSeconds }: Piece) => contentStartSeconds ?? startSeconds;

// Covers C-3.4 C-4.6 C-4.19
test('pieces cover what was requested, in order, and no cap is exceeded', () => {
  fc.assert(
    fc.property(requests, total, (request, totalSeconds) => {
      const pieces = planOf(request, totalSeconds);
      fc.pre(pieces !== undefined);
      let index = 0;
      for (const { startSeconds, endSeconds } of stretchesOf(request, totalSeconds)) {
        let position = startSeconds;
        for (; position < endSeconds - 1e-6; index++) {
          const piece: Piece | undefined = pieces[index];
          assert.ok(piece, `nothing after ${position}`);
          assertNear(contentStart(piece), position, 'begins');
          assert.ok(contentSeconds(piece) > 0);
          position = piece.endSeconds;
        }
        assertNear(position, endSeconds, 'ends');
      }
      assert.equal(index, pieces.length);
      const { maxDuration = Infinity, maxFileSize = Infinity } = request;
      for (const piece of pieces) {
        const length = piece.endSeconds - piece.startSeconds;
        assert.ok(length <= maxDuration + 1e-6, `${length} s`);
        assert.ok(length * BYTES_PER_SECOND <= maxFileSize + 1, `${length} s in too many bytes`);
        assert.notEqual(piece.title, '');
      }
      if (request.splitMode !== 'ranges' || request.splitPoints !== undefined)
        assert.equal(pieces.at(-1)?.endKind, 'end');
    }),
    { numRuns: 1_000 },
  );
});

// Covers C-5.2 C-5.4
test('with overlap every segment but the first begins before its cut, which each of them states', () => {
  fc.assert(
    fc.property(requests, total, (request, totalSeconds) => {
      const pieces = planOf(request, totalSeconds);
      fc.pre(pieces !== undefined);
      const { overlap } = request;
      for (const [index, { startSeconds, contentStartSeconds }] of pieces.entries()) {
        if (overlap === undefined) assert.equal(contentStartSeconds, undefined);
        else assertNear(contentStartSeconds, startSeconds + (index === 0 ? 0 : overlap), 'cut');
      }
    }),
    { numRuns: 500 },
  );
});

/** The minimum for a stretch of constant bitrate. */
function fewest({ startSeconds, endSeconds }: Span, request: CutRequest, totalSeconds: number): number {
  const { maxDuration = Infinity, maxFileSize = Infinity, overlap = 0 } = request;
  const longest = Math.min(maxDuration, maxFileSize / BYTES_PER_SECOND);
  const isFirst = startSeconds < spanOf(request, totalSeconds).startSeconds + 1e-6;
  const first = isFirst ? longest : longest - overlap;
  const rest = endSeconds - startSeconds - first - 1e-6;
  return rest <= 0 ? 1 : 1 + Math.ceil(rest / (longest - overlap));
}

// Covers C-3.7 C-3.9
test('what is above a cap is divided into the fewest pieces, snapped or not, with any option', () => {
  fc.assert(
    fc.property(requests, total, (request, totalSeconds) => {
      // In these modes nothing is divided.
      fc.pre(request.splitMode !== 'duration' && request.splitMode !== 'fileSize');
      const pieces = planOf(request, totalSeconds);
      const { maxDuration: _, maxFileSize: __, overlap: ___, ...uncapped } = request;
      const whole = planOf(uncapped as CutRequest, totalSeconds);
      fc.pre(pieces !== undefined && whole !== undefined && !hasShortRest(request, totalSeconds));
      const counts = whole.map((piece) => fewest(piece, request, totalSeconds));
      assert.equal(
        pieces.length,
        counts.reduce((sum, count) => sum + count, 0),
      );
    }),
    { numRuns: 1_000 },
  );
});

/** Then the caps decide whether the rest is a piece of its own. */
function hasShortRest(request: CutRequest, totalSeconds: number): boolean {
  const { endSeconds } = spanOf(request, totalSeconds);
  return pointsOf(request).some((point) => point < endSeconds && point > endSeconds - 0.1);
}

function pointsOf(request: CutRequest): readonly number[] {
  if (request.splitMode === 'ranges') return request.splitPoints ?? [];
  if (request.splitMode !== 'chapters') return [];
  return (request.chapters ?? []).map(({ startTime }) => startTime);
}
// Covers C-3.8 C-3.11
test('without snapping, pieces are as equal as they can be, and carry the title of their chapter', () => {
  fc.assert(
    fc.property(seconds(1, 300), total, (maxDuration, totalSeconds) => {
      const pieces = planOf({ splitMode: 'chapters', maxDuration }, totalSeconds);
      const lengths = pieces?.map(contentSeconds) ?? [];
      assert.ok(Math.max(...lengths) - Math.min(...lengths) < 1e-6);
      if (lengths.length > 1) assert.equal(pieces?.[0]?.title, `One (1/${lengths.length})`);
    }),
  );
});

// Covers C-2.3 C-4.4 C-4.5
test('a snap never moves a cut forward or beyond the window', () => {
  const lengths = fc.integer({ min: 2, max: 300 });
  fc.assert(
    fc.property(lengths, snapToSilence, total, (segmentDuration, snap, totalSeconds) => {
      const request = { splitMode: 'duration', segmentDuration, snapToSilence: snap } as const;
      const pieces = planOf(request, totalSeconds) ?? [];
      for (const piece of pieces.slice(0, -1)) {
        const moved = segmentDuration - contentSeconds(piece);
        const most = Math.min(snap.window, segmentDuration / 2);
        assert.ok(moved >= -0.1 - 1e-6 && moved <= most + 0.1 + 1e-6, `moved ${moved}`);
      }
    }),
  );
});
