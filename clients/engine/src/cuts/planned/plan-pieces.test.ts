import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CutRequest } from '@audiosplit/cuts/cut-request';
import { MediaError } from '../../media-error.ts';
import { MAX_SEGMENTS } from '../cut.ts';
import type { Piece } from './piece.ts';
import { planPieces, type SourceFacts, spanOf } from './plan-pieces.ts';
import { factsOf } from './source-facts.fixture.ts';

const plan = (request: CutRequest, totalSeconds: number) => planPieces(request, factsOf(totalSeconds));
const timesOf = (pieces: readonly Piece[]) =>
  pieces.map(({ startSeconds, endSeconds }) =>
    [startSeconds, endSeconds].map((time) => Math.round(time * 1e6) / 1e6),
  );

const fails = (failure: string) => (error: unknown) =>
  error instanceof MediaError && error.failure === failure;

describe('by example', () => {
  // Covers C-2.2
  test('lengths count from trim.start, at multiples', async () => {
    const request: CutRequest = { splitMode: 'duration', segmentDuration: 10, trim: { start: 5, end: 33 } };
    assert.deepEqual(timesOf(await plan(request, 100)), [
      [5, 15],
      [15, 25],
      [25, 33],
    ]);
  });

  // Covers C-2.3 C-3.6
  test('with a cap or snapping, a length counts from the cut before, and nothing is divided', async () => {
    const capped = await plan({ splitMode: 'duration', segmentDuration: 10, maxDuration: 7 }, 20);
    assert.deepEqual(timesOf(capped), [
      [0, 7],
      [7, 14],
      [14, 20],
    ]);
    const longCap = await plan({ splitMode: 'duration', segmentDuration: 10, maxFileSize: 200_000 }, 25);
    assert.deepEqual(timesOf(longCap), [
      [0, 10],
      [10, 20],
      [20, 25],
    ]);
    const both = { splitMode: 'fileSize', maxFileSize: 160_000, maxDuration: 8 } as const;
    assert.deepEqual(timesOf(await plan(both, 20)), [
      [0, 8],
      [8, 16],
      [16, 20],
    ]);
    const snapped = { splitMode: 'duration', segmentDuration: 10, snapToSilence: { window: 3 } } as const;
    const pieces = await planPieces(snapped, factsOf(30, { gridSeconds: 4 }));
    assert.deepEqual(timesOf(pieces), [
      [0, 8],
      [8, 16],
      [16, 24],
      [24, 30],
    ]);
  });

  // Covers C-2.39 C-2.40
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

  // Covers C-3.8 C-3.11 C-4.16
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

  // Covers C-2.39
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

  // Covers C-2.40
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

  // Covers C-2.32 C-2.42 C-2.43 C-4.18 C-4.19
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

  // Covers C-3.11
  test('a title is one line, and an empty one is none', async () => {
    const ranges = ['', ' \n', ' One\u202e\ttwo ', undefined].map((title) => ({
      start: 0,
      end: 30,
      ...(title === undefined ? {} : { title }),
    }));
    const pieces = await plan({ splitMode: 'ranges', ranges, maxDuration: 20 }, 30);
    assert.deepEqual(
      pieces.map(({ title }) => title),
      [undefined, undefined, undefined, undefined, 'One two (1/2)', 'One two (2/2)', undefined, undefined],
    );
  });

  // Covers C-2.34 C-2.41 C-4.18
  test('points at or beyond the end are omitted', async () => {
    const pieces = await plan({ splitMode: 'ranges', splitPoints: [10, 20, 29.95, 30, 40] }, 30);
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

  // Covers C-2.37 C-4.2 C-4.12
  test('each part is snapped at its own place, by the default threshold and silence', async () => {
    const asked: unknown[] = [];
    const facts: SourceFacts = {
      ...factsOf(40),
      async snap({ targetSeconds, earliestSeconds }, options) {
        asked.push([earliestSeconds, targetSeconds, options.threshold, options.minSilenceSeconds]);
        return { seconds: earliestSeconds, endKind: 'quietest' };
      },
    };
    const pieces = await planPieces({ splitMode: 'parts', parts: 4, snapToSilence: { window: 3 } }, facts);
    assert.deepEqual(asked, [
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
    asked.length = 0;
    await planPieces({ splitMode: 'parts', parts: 2, snapToSilence: { window: 0.125 } }, facts);
    assert.deepEqual(asked, [[19.875, 20, 'auto', 0.125]]);
  });

  // Covers C-2.7 C-2.8 C-4.12
  test('mode silence has defaults', async () => {
    let asked: unknown;
    const { silencePieces } = factsOf(10);
    const facts: SourceFacts = {
      ...factsOf(10),
      silencePieces(span, options) {
        asked = options;
        return silencePieces(span, options);
      },
    };
    await planPieces({ splitMode: 'silence' }, facts);
    assert.deepEqual(asked, { threshold: 'auto', minSilence: 0.5, minDuration: 1 });
  });

  // Covers C-3.9 C-3.10
  test('a snap leaves room for the rest in the pieces left, which is divided anew', async () => {
    const windows: unknown[] = [];
    const facts: SourceFacts = {
      ...factsOf(100),
      async snap({ targetSeconds, earliestSeconds }) {
        windows.push([earliestSeconds, targetSeconds].map((seconds) => Math.round(seconds * 1e6) / 1e6));
        return { seconds: earliestSeconds, endKind: 'silence' };
      },
    };
    const request = { splitMode: 'chapters', maxDuration: 36, snapToSilence: { window: 10 } } as const;
    // Two pieces of 36 s hold no more than what is behind 28 s, one no more than what is behind 64 s.
    assert.deepEqual(timesOf(await planPieces(request, facts)), [
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
  test('an overlap of half a segment is rejected', async () => {
    const request = (overlap: number): CutRequest => ({ splitMode: 'parts', parts: 4, overlap });
    assert.equal((await plan(request(1.2), 10)).length, 4);
    await assert.rejects(plan(request(1.25), 10), fails('SEGMENT_LIMIT_UNREACHABLE'));
    await assert.rejects(
      plan({ splitMode: 'silence', overlap: 2.5 }, 10),
      fails('SEGMENT_LIMIT_UNREACHABLE'),
    );
    // The last one may be shorter.
    const last = await plan({ splitMode: 'duration', segmentDuration: 10, overlap: 3 }, 24);
    assert.deepEqual(timesOf(last), [
      [0, 10],
      [7, 20],
      [17, 24],
    ]);
  });

  // Covers C-5.4
  test('an overlap of 0 shifts nothing, and every segment states its cut as with any overlap', async () => {
    const pieces = await plan({ splitMode: 'parts', parts: 4, overlap: 0 }, 10);
    assert.deepEqual(
      pieces.map(({ startSeconds, contentStartSeconds }) => [startSeconds, contentStartSeconds]),
      [0, 2.5, 5, 7.5].map((start) => [start, start]),
    );
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
