import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CutRequest } from '@audiosplit/cuts/cut-request';
import fc from 'fast-check';
import { MediaError } from '../../media-error.ts';
import { MAX_SEGMENTS } from '../cut.ts';
import { contentSeconds, type Piece } from './piece.ts';
import { planPieces, type SourceFacts, spanOf } from './plan-pieces.ts';
import type { CutWindow } from './snap.ts';

/** A source of constant bitrate that snaps to multiples of `gridSeconds` if the window contains one. */
function factsOf(totalSeconds: number, { bytesPerSecond = 16_000, gridSeconds = 1.7 } = {}): SourceFacts {
  return {
    totalSeconds,
    async snap({ targetSeconds, earliestSeconds }: CutWindow) {
      const silence = Math.floor(targetSeconds / gridSeconds) * gridSeconds;
      if (silence < earliestSeconds) return { seconds: targetSeconds, endKind: 'exact' };
      return { seconds: silence, endKind: 'silence' };
    },
    silencePieces: async ({ startSeconds, endSeconds }) => [
      { startSeconds, endSeconds: (startSeconds + endSeconds) / 2, endKind: 'silence' },
      { startSeconds: (startSeconds + endSeconds) / 2, endSeconds, endKind: 'end' },
    ],
    chapterPieces: async ({ startSeconds, endSeconds }) => [
      { startSeconds, endSeconds, endKind: 'end', title: 'One' },
    ],
    sizes: {
      latestEnd: (startSeconds, byteCount) => startSeconds + byteCount / bytesPerSecond,
      earliestStart: (endSeconds, byteCount) => endSeconds - byteCount / bytesPerSecond,
    },
  };
}

const plan = (request: CutRequest, totalSeconds: number) => planPieces(request, factsOf(totalSeconds));
const timesOf = (pieces: readonly Piece[]) =>
  pieces.map(({ startSeconds, endSeconds }) =>
    [startSeconds, endSeconds].map((time) => Math.round(time * 1e6) / 1e6),
  );

const fails = (failure: string) => (error: unknown) =>
  error instanceof MediaError && error.failure === failure;

const seconds = (min: number, max: number) =>
  fc.integer({ min: Math.round(min * 1000), max: Math.round(max * 1000) }).map((ms) => ms / 1000);

const total = seconds(1, 5_000);
const snapToSilence = fc.option(fc.record({ window: seconds(0.1, 60) }), { nil: undefined });
const caps = fc.record(
  { maxDuration: seconds(1, 600), maxFileSize: fc.integer({ min: 65_536, max: 4_000_000 }) },
  { requiredKeys: [] },
);

function withCaps(mode: fc.Arbitrary<CutRequest>): fc.Arbitrary<CutRequest> {
  return fc
    .tuple(mode, caps, snapToSilence)
    .map(([request, limits, snap]) =>
      JSON.parse(JSON.stringify({ ...limits, ...request, snapToSilence: snap })),
    );
}

const anyRequest = withCaps(
  fc.oneof(
    fc.record({
      splitMode: fc.constant('duration' as const),
      segmentDuration: fc.integer({ min: 1, max: 900 }),
    }),
    fc.record({
      splitMode: fc.constant('fileSize' as const),
      maxFileSize: fc.integer({ min: 65_536, max: 4_000_000 }),
    }),
    fc.record({ splitMode: fc.constant('parts' as const), parts: fc.integer({ min: 2, max: 40 }) }),
    fc.record({ splitMode: fc.constant('silence' as const) }),
    fc.record({ splitMode: fc.constant('chapters' as const) }),
    fc.record({
      splitMode: fc.constant('ranges' as const),
      splitPoints: fc
        .uniqueArray(seconds(0.001, 5_000), { minLength: 1, maxLength: 30 })
        .map((points) => points.sort((a, b) => a - b)),
    }),
  ),
);

describe('for any request', () => {
  test('pieces cover the split stretch, in order, and no cap is exceeded', async () => {
    await fc.assert(
      fc.asyncProperty(anyRequest, total, async (request, totalSeconds) => {
        const facts = factsOf(totalSeconds);
        const pieces = await planPieces(request, facts).catch((error: unknown) => {
          if (error instanceof MediaError && error.failure !== 'INTERNAL_ERROR') return undefined;
          throw error;
        });
        fc.pre(pieces !== undefined);
        let position = 0;
        for (const piece of pieces) {
          assert.ok(
            Math.abs(piece.startSeconds - position) < 1e-6,
            `${piece.startSeconds} after ${position}`,
          );
          assert.ok(piece.endSeconds > piece.startSeconds);
          const length = piece.endSeconds - piece.startSeconds;
          assert.ok(length <= (request.maxDuration ?? Infinity) + 1e-6, `${length} s`);
          if (request.maxFileSize !== undefined) assert.ok(length * 16_000 <= request.maxFileSize + 1);
          position = piece.endSeconds;
        }
        assert.ok(Math.abs(position - totalSeconds) < 1e-6);
        assert.equal(pieces.at(-1)?.endKind, 'end');
      }),
      { numRuns: 500 },
    );
  });

  test('a stretch above a cap is divided into the fewest pieces, snapped or not', async () => {
    const request = fc.record({ maxDuration: seconds(1, 300), snapToSilence });
    await fc.assert(
      fc.asyncProperty(request, total, async ({ maxDuration, snapToSilence: snap }, totalSeconds) => {
        const pieces = await plan(
          { splitMode: 'chapters', maxDuration, ...(snap === undefined ? {} : { snapToSilence: snap }) },
          totalSeconds,
        );
        assert.equal(pieces.length, Math.max(1, Math.ceil((totalSeconds - 1e-6) / maxDuration)));
        if (snap === undefined) {
          const lengths = pieces.map(contentSeconds);
          assert.ok(Math.max(...lengths) - Math.min(...lengths) < 1e-6, 'as equal as they can be');
        }
        if (pieces.length > 1) assert.equal(pieces[0]?.title, `One (1/${pieces.length})`);
      }),
    );
  });

  test('a snap never moves a cut forward or beyond the window', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 300 }),
        seconds(0.1, 60),
        total,
        async (length, window, totalSeconds) => {
          const pieces = await plan(
            { splitMode: 'duration', segmentDuration: length, snapToSilence: { window } },
            totalSeconds,
          );
          for (const piece of pieces.slice(0, -1)) {
            const moved = length - contentSeconds(piece);
            assert.ok(
              moved >= -0.1 - 1e-6 && moved <= Math.min(window, length / 2) + 0.1 + 1e-6,
              `moved ${moved}`,
            );
          }
        },
      ),
    );
  });

  test('with overlap every segment but the first begins before its cut, within the caps', async () => {
    await fc.assert(
      fc.asyncProperty(
        seconds(0.1, 5),
        seconds(16, 60),
        total,
        async (overlap, maxDuration, totalSeconds) => {
          const pieces = await plan(
            { splitMode: 'duration', segmentDuration: 3_600, maxDuration, overlap },
            totalSeconds,
          );
          for (const [index, piece] of pieces.entries()) {
            assert.ok(piece.endSeconds - piece.startSeconds <= maxDuration + 1e-6);
            const early = (piece.contentStartSeconds ?? -1) - piece.startSeconds;
            assert.ok(Math.abs(early - (index === 0 ? 0 : overlap)) < 1e-6);
          }
        },
      ),
    );
  });
});

describe('by example', () => {
  test('lengths count from trim.start, at multiples', async () => {
    const request: CutRequest = { splitMode: 'duration', segmentDuration: 10, trim: { start: 5, end: 33 } };
    assert.deepEqual(timesOf(await plan(request, 100)), [
      [5, 15],
      [15, 25],
      [25, 33],
    ]);
  });

  test('a rest under a tenth of a second joins the segment before it; if a cap forbids that, it gets a tenth', async () => {
    const joined = await plan({ splitMode: 'duration', segmentDuration: 10 }, 20.05);
    assert.deepEqual(timesOf(joined), [
      [0, 10],
      [10, 20.05],
    ]);
    const capped = await plan({ splitMode: 'duration', segmentDuration: 60, maxDuration: 10 }, 20.05);
    assert.deepEqual(timesOf(capped), [
      [0, 10],
      [10, 19.95],
      [19.95, 20.05],
    ]);
  });

  test('a chapter above a cap is divided equally, and its parts carry its title', async () => {
    const pieces = await plan({ splitMode: 'chapters', maxDuration: 40 }, 100);
    assert.deepEqual(
      pieces.map(({ title }) => title),
      ['One (1/3)', 'One (2/3)', 'One (3/3)'],
    );
    assert.deepEqual(
      pieces.map(({ endKind }) => endKind),
      ['exact', 'exact', 'end'],
    );
  });

  test('a last chapter of less than a tenth of a second joins the one before it', async () => {
    const facts: SourceFacts = {
      ...factsOf(10),
      chapterPieces: async () => [
        { startSeconds: 0, endSeconds: 9.95, endKind: 'chapter', title: 'One' },
        { startSeconds: 9.95, endSeconds: 10, endKind: 'end', title: 'Two' },
      ],
    };
    const pieces = await planPieces({ splitMode: 'chapters' }, facts);
    assert.deepEqual(pieces, [{ startSeconds: 0, endSeconds: 10, endKind: 'end', title: 'One' }]);
  });

  test('a last chapter or point of less than a tenth of a second gets a tenth if a cap forbids joining', async () => {
    const starts = [0, 5, 14.93, 14.96];
    const facts: SourceFacts = {
      ...factsOf(15),
      chapterPieces: async () =>
        starts.map((startSeconds, index) => ({
          startSeconds,
          endSeconds: starts[index + 1] ?? 15,
          endKind: index === 3 ? 'end' : 'chapter',
          title: `${index}`,
        })),
    };
    const chapters = await planPieces({ splitMode: 'chapters', maxDuration: 9.95 }, facts);
    assert.deepEqual(
      chapters.map(({ startSeconds, endSeconds, endKind, title }) => [
        startSeconds,
        endSeconds,
        endKind,
        title,
      ]),
      [
        [0, 5, 'chapter', '0'],
        [5, 14.9, 'chapter', '1'],
        [14.9, 15, 'end', '3'],
      ],
    );
    const points = { splitMode: 'ranges', splitPoints: [5, 14.93, 14.96] } as const;
    assert.deepEqual(timesOf(await plan({ ...points, maxDuration: 9.95 }, 15)), [
      [0, 5],
      [5, 14.9],
      [14.9, 15],
    ]);
    // The previous piece is divided in any case: it takes no more pieces together with the rest.
    assert.deepEqual(timesOf(await plan({ ...points, maxDuration: 7 }, 15)), [
      [0, 5],
      [5, 10],
      [10, 15],
    ]);
  });

  test('no segment is shorter than a tenth of a second because of a ceiling, with any overlap', async () => {
    const facts = factsOf(10, { bytesPerSecond: 600_000 });
    const request: CutRequest = { splitMode: 'fileSize', maxFileSize: 65_536, overlap: 0.03 };
    await assert.rejects(planPieces(request, facts), fails('SEGMENT_LIMIT_UNREACHABLE'));
  });

  test('ranges keep their order, may overlap, and end with the source at the latest', async () => {
    const ranges = [
      { start: 50, end: 70, title: 'b' },
      { start: 0, end: 60 },
      { start: 90, end: 200 },
    ];
    const pieces = await plan({ splitMode: 'ranges', ranges }, 100);
    assert.deepEqual(timesOf(pieces), [
      [50, 70],
      [0, 60],
      [90, 100],
    ]);
    assert.deepEqual(
      pieces.map(({ endKind }) => endKind),
      ['range', 'range', 'end'],
    );
    const outside = { splitMode: 'ranges', ranges: [{ start: 100 }] } as const;
    await assert.rejects(plan(outside, 100), fails('RANGE_OUTSIDE_SOURCE'));
    // Less than one sample of a possible output.
    await assert.rejects(plan(outside, 100.0002), fails('RANGE_OUTSIDE_SOURCE'));
  });

  test('points at or beyond the end are omitted', async () => {
    const pieces = await plan({ splitMode: 'ranges', splitPoints: [10, 20, 29.95, 30, 40] }, 30);
    assert.deepEqual(timesOf(pieces), [
      [0, 10],
      [10, 20],
      [20, 30],
    ]);
  });

  test('equal parts; more of them than tenths of a second are rejected', async () => {
    assert.deepEqual(timesOf(await plan({ splitMode: 'parts', parts: 4 }, 10)), [
      [0, 2.5],
      [2.5, 5],
      [5, 7.5],
      [7.5, 10],
    ]);
    await assert.rejects(plan({ splitMode: 'parts', parts: 11 }, 1), {
      failure: 'SEGMENT_LIMIT_UNREACHABLE',
      message: 'What is to be split is too short for 11 parts of a tenth of a second each.',
    });
  });

  test('a trim that begins at or beyond the end is rejected', () => {
    assert.throws(() => spanOf({ trim: { start: 10 } }, 10), fails('RANGE_OUTSIDE_SOURCE'));
    assert.deepEqual(spanOf({ trim: { end: 99 } }, 10), { startSeconds: 0, endSeconds: 10 });
  });

  test('an overlap of half a segment is rejected', async () => {
    const request = (overlap: number): CutRequest => ({ splitMode: 'parts', parts: 4, overlap });
    assert.equal((await plan(request(1.2), 10)).length, 4);
    await assert.rejects(plan(request(1.25), 10), fails('SEGMENT_LIMIT_UNREACHABLE'));
  });

  test('too many segments are rejected before anything is cut', async () => {
    const request = { splitMode: 'duration', segmentDuration: 1, maxDuration: 1 } as const;
    assert.equal((await plan(request, MAX_SEGMENTS)).length, MAX_SEGMENTS);
    await assert.rejects(plan(request, MAX_SEGMENTS + 1), fails('TOO_MANY_SEGMENTS'));
  });

  test('too many segments are rejected before the sound at any cut is examined', async () => {
    const facts: SourceFacts = {
      ...factsOf(3 * MAX_SEGMENTS),
      snap: () => assert.fail('looked at the sound'),
    };
    const snap = { snapToSilence: { window: 1 } };
    for (const request of [
      { splitMode: 'duration', segmentDuration: 2, ...snap },
      { splitMode: 'chapters', maxDuration: 2, ...snap },
      { splitMode: 'ranges', ranges: [{ start: 9 }, { start: 9 }], maxDuration: 4, ...snap },
    ] satisfies CutRequest[]) {
      await assert.rejects(planPieces(request, facts), fails('TOO_MANY_SEGMENTS'));
    }
  });
});
