import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { InvalidCutsError } from './invalid-cuts.ts';
import { type Cuts, readCuts } from './read-cuts.ts';

function detailsOf(cuts: object): unknown {
  try {
    return readCuts(cuts as Cuts);
  } catch (error) {
    assert.ok(error instanceof InvalidCutsError);
    assert.equal(error.code, 'INVALID_PARAMS');
    return error.details;
  }
}

// Covers C-1.6 C-1.11
test('positions are read as seconds, to the millisecond, and other fields are unchanged', () => {
  const cuts: Cuts = {
    splitMode: 'ranges',
    ranges: [{ start: '1:02.5', end: '1:00:00', title: 'a' }, { start: 7_200.00049 }],
    outputFormat: 'mp3',
  };
  assert.deepEqual(readCuts(cuts), {
    request: {
      splitMode: 'ranges',
      ranges: [{ start: 62.5, end: 3_600, title: 'a' }, { start: 7_200 }],
    },
    outputFormat: 'mp3',
  });
});

test('an undefined field counts as missing', () => {
  const cuts = { splitMode: 'duration', segmentDuration: 60, overlap: undefined, outputFormat: undefined };
  assert.deepEqual(readCuts(cuts as unknown as Cuts), {
    request: { splitMode: 'duration', segmentDuration: 60 },
  });
});

describe('rejects the same requests as the API, with the path of the field', () => {
  const REFUSALS: readonly [string, object, unknown][] = [
    ['no mode', { segmentDuration: 60 }, [{ field: 'splitMode', message: 'is required' }]],
    [
      'an unknown field',
      { splitMode: 'parts', parts: 2, pieces: 3 },
      [{ field: 'pieces', message: 'is not known' }],
    ],
    [
      'a missing field',
      { splitMode: 'duration' },
      [{ field: 'segmentDuration', message: 'is required with splitMode duration' }],
    ],
    [
      'a field of another mode',
      { splitMode: 'parts', parts: 2, segmentDuration: 60 },
      [{ field: 'segmentDuration', message: 'does not go with splitMode parts' }],
    ],
    [
      'a number out of range',
      { splitMode: 'fileSize', maxFileSize: 1_000 },
      [{ field: 'maxFileSize', message: 'must be at least 65536' }],
    ],
    [
      'a fraction instead of a whole number',
      { splitMode: 'duration', segmentDuration: 1.5 },
      [{ field: 'segmentDuration', message: 'must be an integer' }],
    ],
    [
      'text that is not a time',
      { splitMode: 'ranges', splitPoints: ['1:99'] },
      [{ field: 'splitPoints[0]', message: 'must be seconds, or a time as [H:]M:SS[.mmm]' }],
    ],
    [
      'contradictory fields',
      { splitMode: 'ranges', ranges: [{ start: 1, end: 1 }] },
      [{ field: 'ranges[0].end', message: 'must be above the start of its range' }],
    ],
    [
      'an option that the format does not support',
      { splitMode: 'parts', parts: 2, outputFormat: 'mp3', encoding: { bitDepth: 16 } },
      [{ field: 'encoding.bitDepth', message: 'cannot be chosen for mp3: wav and flac have one' }],
    ],
    [
      'an unknown placeholder',
      { splitMode: 'parts', parts: 2, fileName: '{' },
      [
        {
          field: 'fileName',
          message:
            'has a lone {: braces stand around {name}, {index}, {number}, {count}, {title}, {start} only',
        },
      ],
    ],
  ];
  for (const [title, cuts, expected] of REFUSALS) {
    // Covers C-1.3 C-1.4 C-1.8 C-1.10
    test(title, () => {
      assert.deepEqual(detailsOf(cuts), expected);
    });
  }
});
