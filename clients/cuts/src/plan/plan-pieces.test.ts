import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CutRequest } from '../cut-request.ts';
import type { Piece } from './piece.ts';
import { PlanError } from './plan-error.ts';
import { planWithoutSound, spanOf } from './plan-pieces.ts';
import { MAX_SEGMENTS } from './segment-limits.ts';
import { type KnownSource, planOf, sourceOf } from './source-facts.fixture.ts';

const plan = (request: CutRequest, totalSeconds: number) => planOf(request, sourceOf(totalSeconds));
const timesOf = (pieces: readonly Piece[]) =>
  pieces.map(({ startSeconds, endSeconds }) =>
    [startSeconds, endSeconds].map((time) => Math.round(time * 1e6) / 1e6),
  );

const fails = (failure: string) => (error: unknown) =>
  error instanceof PlanError && error.failure === failure;

describe('by example', () => {
  // Covers C-2.2
  test('lengths count from trim.start, at multiples', () => {
    const request: CutRequest = { splitMode: 'duration', segmentDuration: 10, trim: { start: 5, end: 33 } };
    assert.deepEqual(timesOf(plan(request, 100)), [
      [5, 15],
      [15, 25],
      [25, 33],
    ]);
  });

  // Covers C-2.3 C-3.6
  test('with a cap or snapping, a length counts from the cut before, and nothing is divided', () => {
    const capped = plan({ splitMode: 'duration', segmentDuration: 10, maxDuration: 7 }, 20);
    assert.deepEqual(timesOf(capped), [
      [0, 7],
      [7, 14],
      [14, 20],
    ]);
    const longCap = plan({ splitMode: 'duration', segmentDuration: 10, maxFileSize: 200_000 }, 25);
    assert.deepEqual(timesOf(longCap), [
      [0, 10],
      [10, 20],
      [20, 25],
    ]);
    const both = { splitMode: 'fileSize', maxFileSize: 160_000, maxDuration: 8 } as const;
    assert.deepEqual(timesOf(plan(both, 20)), [
      [0, 8],
      [8, 16],
      [16, 20],
    ]);
    const snapped = { splitMode: 'duration', segmentDuration: 10, snapToSilence: { window: 3 } } as const;
    const pieces = planOf(snapped, sourceOf(30, { gridSeconds: 4 }));
    assert.deepEqual(timesOf(pieces), [
      [0, 8],
      [8, 16],
      [16, 24],
      [24, 30],
    ]);
  });

  // Covers C-2.39 C-2.40
  test('a rest under a tenth of a second joins the segment before it; if a cap forbids that, it gets a tenth', () => {
    const joined = plan({ splitMode: 'duration', segmentDuration: 10 }, 20.05);
    assert.deepEqual(timesOf(joined), [
      [0, 10],
      [10, 20.05],
    ]);
    const capped = plan({ splitMode: 'duration', segmentDuration: 60, maxDuration: 10 }, 20.05);
    assert.deepEqual(timesOf(capped), [
      [0, 10],
      [10, 19.95],
      [19.95, 20.05],
    ]);
  });

  test('a rest of a tenth of a second is a segment, although the difference of the times is a little less', () => {
    const lastOf = (request: CutRequest) => timesOf(plan(request, 100.1)).at(-1);
    assert.deepEqual(lastOf({ splitMode: 'duration', segmentDuration: 25 }), [100, 100.1]);
    assert.deepEqual(lastOf({ splitMode: 'ranges', splitPoints: [100] }), [100, 100.1]);
    assert.deepEqual(lastOf({ splitMode: 'parts', parts: 3, trim: { start: 99.8 } }), [100, 100.1]);
  });

  // Covers C-3.8 C-3.11 C-4.16
  test('a chapter above a cap is divided equally, and its parts carry its title', () => {
    const pieces = plan({ splitMode: 'chapters', maxDuration: 40 }, 100);
    assert.deepEqual(
      pieces.map(({ title }) => title),
      ['One (1/3)', 'One (2/3)', 'One (3/3)'],
    );
    assert.deepEqual(
      pieces.map(({ endKind }) => endKind),
      ['exact', 'exact', 'end'],
    );
  });

  // Covers C-2.39
  test('a last chapter of less than a tenth of a second joins the one before it', () => {
    const source: KnownSource = {
      ...sourceOf(10),
      ownChapters: [
        { startSeconds: 0, title: 'One' },
        { startSeconds: 9.95, title: 'Two' },
      ],
    };
    const pieces = planOf({ splitMode: 'chapters' }, source);
    assert.deepEqual(pieces, [{ startSeconds: 0, endSeconds: 10, endKind: 'end', title: 'One' }]);
  });

  // Covers C-2.40
  test('a last chapter or point of less than a tenth of a second gets a tenth if a cap forbids joining', () => {
    const starts = [0, 5, 14.93, 14.96];
    const source: KnownSource = {
      ...sourceOf(15),
      ownChapters: starts.map((startSeconds, index) => ({ startSeconds, title: `${index}` })),
    };
    const chapters = planOf({ splitMode: 'chapters', maxDuration: 9.95 }, source);
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
    assert.deepEqual(timesOf(plan({ ...points, maxDuration: 9.95 }, 15)), [
      [0, 5],
      [5, 14.9],
      [14.9, 15],
    ]);
    // The previous piece is divided in any case: it takes no more pieces together with the rest.
    assert.deepEqual(timesOf(plan({ ...points, maxDuration: 7 }, 15)), [
      [0, 5],
      [5, 10],
      [10, 15],
    ]);
  });

  test('no segment is shorter than a tenth of a second because of a ceiling, with any overlap', () => {
    const source = sourceOf(10, { bytesPerSecond: 600_000 });
    const request: CutRequest = { splitMode: 'fileSize', maxFileSize: 65_536, overlap: 0.03 };
    assert.throws(() => planOf(request, source), fails('SEGMENT_LIMIT_UNREACHABLE'));
  });

  // Covers C-2.32 C-2.42 C-2.43 C-4.18 C-4.19
  test('ranges keep their order, may overlap, and end with the source at the latest', () => {
    const ranges = [
      { start: 50, end: 70, title: 'b' },
      { start: 0, end: 60 },
      { start: 90, end: 200 },
    ];
    const pieces = plan({ splitMode: 'ranges', ranges }, 100);
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
    assert.throws(() => plan(outside, 100), fails('RANGE_OUTSIDE_SOURCE'));
    // Less than one sample of a possible output.
    assert.throws(() => plan(outside, 100.0002), fails('RANGE_OUTSIDE_SOURCE'));
  });

  // Covers C-3.11
  test('a title is one line, and an empty one is none', () => {
    const ranges = ['', ' \n', ' One\u202e\ttwo ', undefined].map((title) => ({
      start: 0,
      end: 30,
      ...(title === undefined ? {} : { title }),
    }));
    const pieces = plan({ splitMode: 'ranges', ranges, maxDuration: 20 }, 30);
    assert.deepEqual(
      pieces.map(({ title }) => title),
      [undefined, undefined, undefined, undefined, 'One two (1/2)', 'One two (2/2)', undefined, undefined],
    );
  });

  // Covers C-2.34 C-2.41 C-4.18
  test('points at or beyond the end are omitted', () => {
    const pieces = plan({ splitMode: 'ranges', splitPoints: [10, 20, 29.95, 30, 40] }, 30);
    assert.deepEqual(timesOf(pieces), [
      [0, 10],
      [10, 20],
      [20, 30],
    ]);
    assert.deepEqual(
      pieces.map(({ endKind }) => endKind),
      ['range', 'range', 'end'],
    );
  });

  // Covers C-2.36 C-2.44
  test('equal parts; more of them than tenths of a second are rejected', () => {
    assert.deepEqual(timesOf(plan({ splitMode: 'parts', parts: 4 }, 10)), [
      [0, 2.5],
      [2.5, 5],
      [5, 7.5],
      [7.5, 10],
    ]);
    assert.throws(() => plan({ splitMode: 'parts', parts: 11 }, 1), {
      failure: 'SEGMENT_LIMIT_UNREACHABLE',
      message: 'What is to be split is too short for 11 parts of a tenth of a second each.',
    });
  });

  // Covers C-2.37 C-4.2 C-4.12
  test('each part is snapped at its own place, by the default threshold and silence', () => {
    const windows: unknown[] = [];
    const source: KnownSource = {
      ...sourceOf(40),
      snap({ targetSeconds, earliestSeconds, threshold, minSilenceSeconds }) {
        windows.push([earliestSeconds, targetSeconds, threshold, minSilenceSeconds]);
        return { seconds: earliestSeconds, endKind: 'quietest' };
      },
    };
    const pieces = planOf({ splitMode: 'parts', parts: 4, snapToSilence: { window: 3 } }, source);
    assert.deepEqual(windows, [
      [7, 10, 'auto', 0.2],
      [17, 20, 'auto', 0.2],
      [27, 30, 'auto', 0.2],
    ]);
    assert.deepEqual(
      pieces.map(({ endSeconds, endKind }) => [endSeconds, endKind]),
      [
        [7, 'quietest'],
        [17, 'quietest'],
        [27, 'quietest'],
        [40, 'end'],
      ],
    );
    windows.length = 0;
    planOf({ splitMode: 'parts', parts: 2, snapToSilence: { window: 0.125 } }, source);
    assert.deepEqual(windows, [[19.875, 20, 'auto', 0.125]]);
  });

  // Covers C-3.9 C-3.10
  test('a snap leaves room for the rest in the pieces left, which is divided anew', () => {
    const windows: unknown[] = [];
    const source: KnownSource = {
      ...sourceOf(100),
      snap({ targetSeconds, earliestSeconds }) {
        windows.push([earliestSeconds, targetSeconds].map((seconds) => Math.round(seconds * 1e6) / 1e6));
        return { seconds: earliestSeconds, endKind: 'silence' };
      },
    };
    const request = { splitMode: 'chapters', maxDuration: 36, snapToSilence: { window: 10 } } as const;
    // Two pieces of 36 s hold no more than what is behind 28 s, one no more than what is behind 64 s.
    assert.deepEqual(timesOf(planOf(request, source)), [
      [0, 28],
      [28, 64],
      [64, 100],
    ]);
    assert.deepEqual(windows, [
      [28, 33.333333],
      [64, 64],
    ]);
  });

  // Covers C-2.42
  test('a trim that begins at or beyond the end is rejected', () => {
    assert.throws(() => spanOf({ trim: { start: 10 } }, 10), fails('RANGE_OUTSIDE_SOURCE'));
    assert.deepEqual(spanOf({ trim: { end: 99 } }, 10), { startSeconds: 0, endSeconds: 10 });
  });

  // Covers C-5.6
  test('an overlap of half a segment is rejected', () => {
    const request = (overlap: number): CutRequest => ({ splitMode: 'parts', parts: 4, overlap });
    assert.equal(plan(request(1.2), 10).length, 4);
    assert.throws(() => plan(request(1.25), 10), fails('SEGMENT_LIMIT_UNREACHABLE'));
    assert.throws(() => plan({ splitMode: 'silence', overlap: 2.5 }, 10), fails('SEGMENT_LIMIT_UNREACHABLE'));
    // The last one may be shorter.
    const last = plan({ splitMode: 'duration', segmentDuration: 10, overlap: 3 }, 24);
    assert.deepEqual(timesOf(last), [
      [0, 10],
      [7, 20],
      [17, 24],
    ]);
  });

  // Covers C-5.4
  test('an overlap of 0 shifts nothing, and every segment states its cut as with any overlap', () => {
    const pieces = plan({ splitMode: 'parts', parts: 4, overlap: 0 }, 10);
    assert.deepEqual(
      pieces.map(({ startSeconds, contentStartSeconds }) => [startSeconds, contentStartSeconds]),
      [0, 2.5, 5, 7.5].map((start) => [start, start]),
    );
  });

  test('too many segments are rejected before anything is cut', () => {
    const request = { splitMode: 'duration', segmentDuration: 1, maxDuration: 1 } as const;
    assert.equal(plan(request, MAX_SEGMENTS).length, MAX_SEGMENTS);
    assert.throws(() => plan(request, MAX_SEGMENTS + 1), fails('TOO_MANY_SEGMENTS'));
  });

  test('too many segments are rejected before the sound at any cut is examined', () => {
    const source: KnownSource = {
      ...sourceOf(3 * MAX_SEGMENTS),
      snap: () => assert.fail('looked at the sound'),
    };
    const snap = { snapToSilence: { window: 1 } };
    for (const request of [
      { splitMode: 'duration', segmentDuration: 2, ...snap },
      { splitMode: 'chapters', maxDuration: 2, ...snap },
      { splitMode: 'ranges', ranges: [{ start: 9 }, { start: 9 }], maxDuration: 4, ...snap },
    ] satisfies CutRequest[]) {
      assert.throws(() => planOf(request, source), fails('TOO_MANY_SEGMENTS'));
    }
  });

  test('without the sound, cuts are where they would be before they move', () => {
    const request = { splitMode: 'parts', parts: 4, maxDuration: 2, overlap: 0.2 } as const;
    const snapped = { ...request, snapToSilence: { window: 1 } };
    assert.deepEqual(planWithoutSound(snapped, { totalSeconds: 10 }), plan(request, 10));
    assert.notDeepEqual(plan(snapped, 10), plan(request, 10));
  });
});
