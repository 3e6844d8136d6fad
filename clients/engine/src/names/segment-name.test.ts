import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { anyCharacter } from '@audiosplit/chassis/testing/any-character';
import { FILE_NAME_PLACEHOLDERS } from '@audiosplit/cuts/file-name-template';
import fc from 'fast-check';
import { segmentFileName, segmentFileNames } from './segment-name.ts';

// Covers D-9.28
test('segment names have the base name, a zero-padded index and the extension', () => {
  for (const [expected, source, index, count, extension] of [
    ['talk-0.mp3', 'talk.mp3', 0, 1, 'mp3'],
    ['talk-9.mp3', 'talk.mp3', 9, 10, 'mp3'],
    ['talk-09.mp3', 'talk.mp3', 9, 11, 'mp3'],
    ['talk-0999.m4a', 'talk.wav', 999, 10_000, 'm4a'],
    ['a.b-1.flac', 'a.b.ogg', 1, 2, 'flac'],
    ['README-0.wav', 'README', 0, 2, 'wav'],
    ['.hidden-0.wav', '.hidden', 0, 2, 'wav'],
  ] as const) {
    assert.equal(segmentFileName(source, index, count, extension), expected);
  }
});

function segmentsOf(titles: readonly (string | undefined)[], extension = 'mp3') {
  return titles.map((title, index) => ({
    index,
    ...(title === undefined ? {} : { title }),
    startMs: index * 61_001,
    extension,
  }));
}

function namesOf(template: string | undefined, ...titles: readonly (string | undefined)[]): string[] {
  return segmentFileNames(template, 'talk.wav', segmentsOf(titles));
}

const ELEVEN = Array.from({ length: 11 }, () => undefined);

describe('names from a template', () => {
  // Covers C-8.2 C-8.3
  test('every placeholder has its value, padded if names are sorted by it', () => {
    const segments = segmentsOf([...ELEVEN.slice(1), 'End']);
    const template = '{name}_{index}_{number}_{count}_{title}_{start}';
    const names = segmentFileNames(template, 'a.talk.wav', segments);
    assert.equal(names[0], 'a.talk_00_01_11__00-00-00.000.mp3');
    assert.equal(names[10], 'a.talk_10_11_11_End_00-10-10.010.mp3');
    const ten = segmentFileNames('{index} {number}', 'x', segments.slice(0, 10));
    assert.deepEqual([ten[0], ten[9]], ['0 01.mp3', '9 10.mp3']);
    const late = { index: 0, startMs: 277 * 3_600_000 + 59 * 60_000 + 59_999, extension: 'wav' };
    assert.deepEqual(segmentFileNames('{start}', 'x', [late]), ['277-59-59.999.wav']);
  });

  // Covers C-8.8
  test('without a template, or with an empty result, names are the default ones', () => {
    const expected = ELEVEN.map((_, index) => `talk-${String(index).padStart(2, '0')}.mp3`);
    assert.deepEqual(namesOf(undefined, ...ELEVEN), expected);
    assert.deepEqual(namesOf('{title}', ...ELEVEN), expected);
    const [dotted] = segmentFileNames('{title}', 'a..mp3', segmentsOf(['']));
    assert.equal(dotted, segmentFileName('a..mp3', 0, 1, 'mp3'));
  });

  // Covers C-8.6
  test('each character that file systems reject becomes an underscore', () => {
    assert.deepEqual(namesOf('{title}', 'a/b\\c:d*e?f"g<h>i|j', 'a\0b\nc\u007fd\u0085e', 'a\u202eb\u2067c'), [
      'a_b_c_d_e_f_g_h_i_j.mp3',
      'a_b_c_d_e.mp3',
      'a_b_c.mp3',
    ]);
    assert.deepEqual(namesOf('{title}', '..', 'Wait. .', ' x', '.x', '../../etc/passwd'), [
      '__.mp3',
      'Wait___.mp3',
      ' x.mp3',
      '.x.mp3',
      '.._.._etc_passwd.mp3',
    ]);
  });

  // Covers C-8.6
  test('device names of Windows get an underscore in front, with and without a suffix', () => {
    const refused = ['CON', 'nul', 'Com1', 'LPT³', 'aux.tar', 'prn .x'];
    assert.deepEqual(
      namesOf('{title}', ...refused),
      refused.map((title) => `_${title}.mp3`),
    );
    const taken = ['CONS', 'COM', 'COM10', 'xcon', 'nul-1'];
    assert.deepEqual(
      namesOf('{title}', ...taken),
      taken.map((title) => `${title}.mp3`),
    );
  });

  // Covers C-8.7
  test('equal names are numbered, ignoring case and composition', () => {
    assert.deepEqual(namesOf('{title}', 'a', 'A', 'a (2)', 'a', 'A (2)'), [
      'a.mp3',
      'A (2).mp3',
      'a (2) (2).mp3',
      'a (3).mp3',
      'A (2) (3).mp3',
    ]);
    for (const [one, other] of [
      ['\u00e9', 'E\u0301'],
      ['straße', 'STRASSE'],
      ['STRAẞE', 'strasse'],
      ['ΟΔΟΣ', 'οδος'],
      ['ΟΔΟσ', 'οδος'],
      ['\u212a', 'k'],
      ['ΐ', '\u1fd3'],
    ] as const) {
      assert.deepEqual(namesOf('{title}', one, other), [`${one}.mp3`, `${other} (2).mp3`]);
    }
  });

  // Covers C-8.13
  test('names reserved by the archive are not given to a segment', () => {
    const json = segmentsOf(['manifest', 'Manifest', 'talk'], 'json');
    assert.deepEqual(segmentFileNames('{title}', 'talk.wav', json), [
      'manifest (2).json',
      'Manifest (3).json',
      'talk.json',
    ]);
    assert.deepEqual(segmentFileNames('{title}', 'talk.wav', segmentsOf(['TALK', 'manifest'], 'cue')), [
      'TALK (2).cue',
      'manifest.cue',
    ]);
  });

  // Covers C-8.5
  test('long names are cut between characters, and keep what makes them unique', () => {
    const flags = '🇩🇪'.repeat(60);
    const [first, second] = namesOf('{title}', flags, flags);
    assert.equal(first, `${'🇩🇪'.repeat(24)}.mp3`);
    assert.equal(second, `${'🇩🇪'.repeat(24)} (2).mp3`);
    const [dots] = namesOf('{title}', `${'x'.repeat(190)}......yz`);
    assert.equal(dots, `${'x'.repeat(190)}______.mp3`);
    const [accents] = namesOf('{title}', `e${'\u0301'.repeat(400)}`);
    assert.equal(accents, `e${'\u0301'.repeat(97)}.mp3`);
    const source = `${'ä'.repeat(97)}.m4a`;
    const names = segmentFileNames('{title}', source, segmentsOf(ELEVEN));
    assert.equal(names[10], `${'ä'.repeat(96)}-10.mp3`);
  });

  test('ten thousand equal names take little time, for any cause of equality', () => {
    const long = 'y'.repeat(180);
    for (const titleOf of [
      () => 'x',
      () => 'ä'.repeat(150),
      // Pairs that differ only in the part that a number replaces.
      (index: number) => `${long}${String(index >> 1).padStart(16, '0')}`,
      (index: number) => (index % 2 === 0 ? `x (${index})` : 'X'),
    ]) {
      const titles = Array.from({ length: 10_000 }, (_, index) => titleOf(index));
      const before = process.cpuUsage();
      const names = namesOf('{title}', ...titles);
      const { user } = process.cpuUsage(before);
      assert.equal(new Set(names.map((name) => name.toLowerCase())).size, 10_000);
      assert.ok(user < 5_000_000, `${user} µs`);
    }
  });
});

const HOSTILE = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: anyCharacter, maxLength: 300 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 300 }) },
  fc.string({ unit: fc.constantFrom('.', ' ', '/', '\\', '\u202e', '\0', ':', 'a', 'A', 'é', 'e\u0301') }),
  fc.constantFrom(
    'CON',
    'nul.x',
    'com1',
    'manifest',
    'a (2)',
    '',
    ' ',
    '...',
    '{name}',
    '👩‍👩‍👧‍👦'.repeat(20),
  ),
);
const TEMPLATES = fc
  .array(
    fc.oneof(
      HOSTILE.map((text) => text.replaceAll(/[{}]/g, '')),
      fc.constantFrom(...FILE_NAME_PLACEHOLDERS).map((name) => `{${name}}`),
    ),
    { maxLength: 4 },
  )
  .map((pieces) => pieces.join(''));

// Covers C-8.5 C-8.6 C-8.7
test('for any template, titles and source, names are safe, short and different', () => {
  const titles = fc.array(fc.option(HOSTILE, { nil: undefined }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(TEMPLATES, HOSTILE, titles, (template, source, given) => {
      const segments = segmentsOf([...given, ...given], 'flac');
      const names = segmentFileNames(template, source, segments);
      assert.equal(names.length, segments.length);
      for (const name of names) {
        assert.ok(name.endsWith('.flac') && name.isWellFormed());
        assert.ok(Buffer.byteLength(name) <= 200);
        assert.doesNotMatch(name, /[/\\<>:"|?*\p{Cc}\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/u);
        assert.doesNotMatch(name, /^(?:con|prn|aux|nul|com\d|lpt\d) *\./i);
        assert.doesNotMatch(name.slice(0, -'.flac'.length), /^$|[. ]$/);
      }
      const keys = names.map((name) => name.normalize('NFC').toLowerCase());
      assert.equal(new Set(keys).size, names.length);
      assert.deepEqual(segmentFileNames(template, source, segments), names);
    }),
  );
});

test('names that are already safe, short and different follow the template', () => {
  const plain = fc.stringMatching(/^[a-z]{5,20}$/);
  fc.assert(
    fc.property(fc.uniqueArray(plain, { minLength: 1, maxLength: 20 }), (titles) => {
      assert.deepEqual(
        namesOf('{title}', ...titles),
        titles.map((title) => `${title}.mp3`),
      );
    }),
  );
});

test('without a template names use the index', () => {
  fc.assert(
    fc.property(HOSTILE, fc.array(HOSTILE, { maxLength: 20 }), (source, titles) => {
      assert.deepEqual(
        segmentFileNames(undefined, source, segmentsOf(titles)),
        titles.map((_, index) => segmentFileName(source, index, titles.length, 'mp3')),
      );
    }),
  );
});
