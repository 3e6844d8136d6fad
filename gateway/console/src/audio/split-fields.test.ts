import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { curlCommand } from '../format/curl-command.ts';
import type { SplitMode } from './cut.ts';
import type { CutOptions } from './cut-options.ts';
import { DEFAULT_FIELDS, readFields, toBody } from './split-fields.ts';
import { MODE_NAMES } from './split-modes.ts';

const read = (mode: SplitMode, text?: string, options: CutOptions = {}) =>
  readFields({ ...DEFAULT_FIELDS, mode, texts: text === undefined ? {} : { [mode]: text }, options });
const cutOf = (...given: Parameters<typeof read>) => read(...given).request?.cut;

const ALL_OPTIONS: CutOptions = {
  maxDuration: '10:00',
  maxFileSize: '25',
  window: '10',
  overlap: '1.5',
  trimStart: '0:15',
  trimEnd: '58:30',
  fileName: "{name} it's {number}",
  isForSpeech: true,
  isDryRun: true,
};

test('each mode reads its own fields from the typed text', () => {
  assert.deepEqual(cutOf('duration'), { splitMode: 'duration', segmentDuration: 300 });
  assert.deepEqual(cutOf('fileSize', '1.5'), { splitMode: 'fileSize', maxFileSize: 1_500_000 });
  assert.deepEqual(cutOf('silence', '0.7'), { splitMode: 'silence', silence: { minSilence: 0.7 } });
  assert.deepEqual(cutOf('chapters'), { splitMode: 'chapters' });
  assert.deepEqual(cutOf('chapters', '0:00 A'), {
    splitMode: 'chapters',
    chapters: [{ startTime: 0, title: 'A' }],
  });
  assert.deepEqual(cutOf('ranges', '1:00-2:30'), { splitMode: 'ranges', ranges: [{ start: 60, end: 150 }] });
  assert.deepEqual(cutOf('ranges', '10:00'), { splitMode: 'ranges', splitPoints: [600] });
  assert.deepEqual(cutOf('parts', '3'), { splitMode: 'parts', parts: 3 });
});

test('a value that a mode rejects shows an error, and makes no request', () => {
  const wrong: [SplitMode, string[]][] = [
    ['duration', ['', '0', '1.5', '24:00:01']],
    ['fileSize', ['', '0.06', '2148', '1e3']],
    ['silence', ['', '0', '61']],
    ['parts', ['', '1', '2.5', '1001']],
    ['ranges', ['x', '2:00-1:00']],
    ['chapters', ['Welcome']],
  ];
  for (const [mode, texts] of wrong) {
    for (const text of texts) {
      const { request, modeProblem } = read(mode, text);
      assert.equal(request, undefined, `${mode} ${text}`);
      assert.match(modeProblem ?? '', /^(Give|Line \d+: ).*\.$/, `${mode} ${text}`);
    }
  }
});

test('times that are not typed yet are not an error', () => {
  assert.deepEqual(read('ranges'), {
    request: undefined,
    modeProblem: undefined,
    optionProblems: {},
    optionCount: 0,
  });
});

test('options are sent with a mode that accepts them, and kept for the others', () => {
  const everywhere = { maxDuration: 600, fileName: "{name} it's {number}", preset: 'speech', dryRun: true };
  const snapped = { snapToSilence: { window: 10 }, ...everywhere };
  assert.deepEqual(cutOf('parts', '3', ALL_OPTIONS), {
    splitMode: 'parts',
    parts: 3,
    maxFileSize: 25e6,
    overlap: 1.5,
    trim: { start: 15, end: 3_510 },
    ...snapped,
  });
  assert.deepEqual(cutOf('fileSize', '4', ALL_OPTIONS), {
    splitMode: 'fileSize',
    maxFileSize: 4e6,
    overlap: 1.5,
    trim: { start: 15, end: 3_510 },
    ...snapped,
  });
  assert.deepEqual(cutOf('chapters', '', ALL_OPTIONS), {
    splitMode: 'chapters',
    maxFileSize: 25e6,
    trim: { start: 15, end: 3_510 },
    ...snapped,
  });
  assert.deepEqual(cutOf('ranges', '10:00', ALL_OPTIONS), {
    splitMode: 'ranges',
    splitPoints: [600],
    maxFileSize: 25e6,
    ...snapped,
  });
});

test('only cuts placed by a number snap to silence', () => {
  const options = { window: '5' };
  for (const mode of ['duration', 'fileSize', 'parts'] as const) {
    assert.deepEqual(cutOf(mode, undefined, options)?.snapToSilence, { window: 5 }, mode);
  }
  for (const mode of ['silence', 'chapters'] as const) {
    assert.equal(cutOf(mode, undefined, options)?.snapToSilence, undefined, mode);
    assert.deepEqual(
      cutOf(mode, undefined, { ...options, maxFileSize: '25' })?.snapToSilence,
      { window: 5 },
      mode,
    );
  }
});

test('one end of a stretch may be left empty', () => {
  assert.deepEqual(cutOf('duration', '60', { trimStart: '0:15' })?.trim, { start: 15 });
  assert.deepEqual(cutOf('duration', '60', { trimEnd: '1:00', trimStart: ' ' })?.trim, { end: 60 });
});

test('a wrong option shows its own error, and makes no request', () => {
  const wrong: [CutOptions, string][] = [
    [{ maxDuration: '0.5' }, 'Give a length from 1 second to 24 hours.'],
    [{ maxFileSize: '0' }, 'Give a size from 0.07 to 2,147 megabytes.'],
    [{ window: '61' }, 'Give 0.1 to 60 seconds.'],
    [{ overlap: '31' }, 'Give 0 to 30 seconds.'],
    [{ overlap: '30' }, 'Enter less than half the length of a segment.'],
    [{ overlap: '5', maxDuration: '10' }, 'Enter less than half the length of a segment.'],
    [{ trimStart: 'soon' }, 'Give a time, as in 0:15.'],
    [{ trimStart: '2:00', trimEnd: '2:00' }, 'Give a later time than the first.'],
    [{ fileName: '{name' }, 'This has a lone {'],
    [{ fileName: '{artist}' }, 'This has no placeholder {artist}'],
  ];
  for (const [options, words] of wrong) {
    const { request, optionProblems } = read('duration', '60', options);
    assert.equal(request, undefined, words);
    assert.match(Object.values(optionProblems).join(), new RegExp(`^${words.replace(/[{}]/g, '\\$&')}`));
  }
});

test('the command has exactly the body that the page sends, in every mode with all its options', () => {
  for (const mode of MODE_NAMES) {
    const text = mode === 'ranges' ? "1:00-2:30 It's here\n5:00-" : undefined;
    const { request } = readFields({
      ...DEFAULT_FIELDS,
      mode,
      texts: text === undefined ? {} : { [mode]: text },
      options: { ...ALL_OPTIONS },
      format: 'flac',
    });
    assert.ok(request, mode);
    const body = toBody(request);
    assert.equal(body.outputFormat, 'flac');
    const call = { method: 'POST', path: '/api/v1/splits', credential: 'none', body } as const;
    const command = curlCommand(call, 'http://localhost');
    const script = `curl() { for argument; do last="$argument"; done; printf '%s' "$last"; }\n${command}`;
    assert.deepEqual(JSON.parse(String(execFileSync('sh', ['-c', script]))), body, mode);
  }
});
