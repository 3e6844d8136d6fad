import assert from 'node:assert/strict';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parseCommand } from '../arguments.ts';
import { splitHelp } from '../split/split-help.ts';
import { UsageError } from '../usage.ts';
import { optionFor } from './cut-options.ts';

function cutOf(args: readonly string[], workingDir = '/home/ada'): object {
  const command = parseCommand(['a.mp3', ...args], workingDir, {});
  assert.equal(command.kind, 'split');
  return (command as Extract<typeof command, { kind: 'split' }>).order.settings;
}

const words = (text: string) => text.split(' ');

const CUTS: readonly (readonly [string, object])[] = [
  ['--every 10m', { splitMode: 'duration', segmentDuration: 600 }],
  ['--parts 4', { splitMode: 'parts', parts: 4 }],
  ['--silence', { splitMode: 'silence' }],
  ['--chapters', { splitMode: 'chapters' }],
  ['--split-at 10:00,20:00,1:02:03.5', { splitMode: 'ranges', splitPoints: [600, 1_200, 3_723.5] }],
  [
    '--ranges 0:00-1:30,2:00-,5-6=Intro',
    {
      splitMode: 'ranges',
      ranges: [{ start: 0, end: 90 }, { start: 120 }, { start: 5, end: 6, title: 'Intro' }],
    },
  ],
  ['--max-size 25MB', { splitMode: 'fileSize', maxFileSize: 25_000_000 }],
  [
    '--for openai',
    {
      splitMode: 'fileSize',
      maxFileSize: 24_500_000,
      maxDuration: 1_390,
      snapToSilence: { window: 10 },
      preset: 'speech',
    },
  ],
  [
    '--for Groq --every 10m --max-size 20MB --snap 2s',
    {
      splitMode: 'duration',
      segmentDuration: 600,
      maxFileSize: 20_000_000,
      snapToSilence: { window: 2 },
      preset: 'speech',
    },
  ],
  [
    '--chapters --for openai --snap 5s',
    {
      splitMode: 'chapters',
      maxFileSize: 24_500_000,
      maxDuration: 1_390,
      snapToSilence: { window: 5 },
      preset: 'speech',
    },
  ],
  [
    '--max-size 25MB --max-duration 23m10s',
    { splitMode: 'fileSize', maxFileSize: 25_000_000, maxDuration: 1_390 },
  ],
  [
    '--every 10m --max-size 25MB --overlap 2s',
    { splitMode: 'duration', segmentDuration: 600, maxFileSize: 25_000_000, overlap: 2 },
  ],
  [
    '--silence --threshold -40 --min-silence 700ms --min-duration 5 --keep-silence .3',
    {
      splitMode: 'silence',
      silence: { threshold: -40, minSilence: 0.7, minDuration: 5, keepSilence: 0.3 },
    },
  ],
  [
    '--every 60 --snap 10s --threshold auto --min-silence 0.3',
    {
      splitMode: 'duration',
      segmentDuration: 60,
      snapToSilence: { window: 10, threshold: 'auto', minSilence: 0.3 },
    },
  ],
  [
    '--silence --max-duration 90s --snap 5 --threshold -35dB',
    { splitMode: 'silence', silence: { threshold: -35 }, maxDuration: 90, snapToSilence: { window: 5 } },
  ],
  ['--chapters --trim 1:00-5:00', { splitMode: 'chapters', trim: { start: 60, end: 300 } }],
  ['--parts 2 --trim -5:00', { splitMode: 'parts', parts: 2, trim: { end: 300 } }],
  ['--parts 2 --trim 90-', { splitMode: 'parts', parts: 2, trim: { start: 90 } }],
  ['--chapters --track 1', { splitMode: 'chapters', audioTrack: 1 }],
  ['--chapters --track eng', { splitMode: 'chapters', audioTrack: 'eng' }],
  [
    '--every 60 --rate 44.1k --channels mono --bitrate 48k --loudness -16 --to mp3',
    {
      splitMode: 'duration',
      segmentDuration: 60,
      encoding: { sampleRate: 44_100, channels: 1, bitrate: 48_000, loudness: { target: -16 } },
      outputFormat: 'mp3',
    },
  ],
  [
    '--every 60 --speech --bit-depth 16 --to wav',
    {
      splitMode: 'duration',
      segmentDuration: 60,
      preset: 'speech',
      encoding: { bitDepth: 16 },
      outputFormat: 'wav',
    },
  ],
  ['--silence --dry-run', { splitMode: 'silence', dryRun: true }],
  [
    '--at-silence --threshold -40 --keep-silence 1',
    { splitMode: 'silence', silence: { threshold: -40, keepSilence: 1 } },
  ],
  ['--parts 4 --plan', { splitMode: 'parts', parts: 4, dryRun: true }],
];

describe('options become a request', () => {
  for (const [args, expected] of CUTS) {
    test(args, () => assert.deepEqual(cutOf(words(args)), expected));
  }

  test('a template with blanks', () => {
    const args = ['--chapters', '--name', '{number} {title}'];
    assert.deepEqual(cutOf(args), { splitMode: 'chapters', fileName: '{number} {title}' });
  });
});

const CONTRADICTIONS: readonly (readonly [string, RegExp])[] = [
  ['--silence --chapters', /--silence and --chapters exclude one another.*--max-duration or --max-size/],
  [
    '--chapters --snap 5',
    /--snap goes with --chapters only together with --max-duration, --max-size or --for/,
  ],
  ['--chapters --overlap 2', /--overlap does not go with --chapters/],
  ['--split-at 5 --overlap 2', /--overlap does not go with --split-at/],
  ['--silence --keep-silence 1 --overlap 2', /--overlap does not go with --keep-silence/],
  ['--ranges 0-5 --trim 1-3', /--trim does not go with --ranges/],
  ['--every 60 --threshold -40', /--threshold goes with --silence or --snap/],
  ['--every 60 --min-silence 1', /--min-silence goes with --silence or --snap/],
  ['--every 60 --keep-silence 1', /--keep-silence goes with --silence/],
  ['--every 60 --snap 1 --min-silence 2', /--min-silence must not be above --snap/],
  ['--silence --min-duration 20 --max-duration 10', /--max-duration must not be below --min-duration/],
  ['--every 10 --overlap 5', /--overlap must be less than half of --every/],
  ['--parts 2 --max-duration 10 --overlap 5', /--overlap must be less than half of --max-duration/],
  ['--parts 1', /--parts 1: give a whole number from 2 to 1000/],
  ['--parts 2.5', /--parts 2.5: give/],
  ['--split-at 10,5', /--split-at 10,5: give times in ascending order/],
  ['--split-at 0,5', /--split-at 0,5: give times in ascending order above 0/],
  ['--ranges 5-5', /--ranges 5-5: give ranges that end above/],
  ['--ranges 5', /--ranges 5: give/],
  ['--ranges 5-x', /--ranges 5-x: give/],
  ['--every 60 --trim -', /--trim -: give a range/],
  ['--every 60 --trim 5-2', /--trim 5-2: give a range/],
  ['--every 60 --max-duration 0.5', /--max-duration 0.5: give a length from 1 to 86400/],
  ['--every 60 --snap 61', /--snap 61: give a length from 0.1 to 60/],
  ['--every 60 --loudness -40', /--loudness -40: give LUFS from -31 to -9/],
  ['--silence --threshold -95', /--threshold -95: give auto, or dBFS from -90 to -10/],
  ['--every 60 --channels 6', /--channels 6: give 1 or 2/],
  ['--every 60 --bit-depth 8', /--bit-depth 8: give 16 or 24/],
  ['--every 60 --rate 44.1', /--rate 44.1: give whole Hz/],
  ['--every 60 --track english', /--track english: give an index/],
  ['--chapters-from missing.json', /--chapters-from missing\.json: it cannot be read as JSON \(ENOENT/],
  ['--silence=5', /'--silence' does not take an argument/],
];

describe('a contradiction is one line that names the option', () => {
  for (const [args, message] of CONTRADICTIONS) {
    test(args, () => {
      assert.throws(
        () => cutOf(words(args)),
        (error) => {
          assert.ok(error instanceof UsageError, String(error));
          assert.match(error.message, message);
          assert.doesNotMatch(error.message, /\n|undefined/);
          return true;
        },
      );
    });
  }
});

test('chapters are read from a file, in the form of Podcasting 2.0 or as a plain list', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-chapters-'));
  const read = async (json: unknown) => {
    await writeFile(join(folder.path, 'chapters.json'), JSON.stringify(json));
    return cutOf(['--chapters-from', 'chapters.json'], folder.path);
  };
  const chapters = [
    { startTime: 0, title: 'Welcome' },
    { startTime: '12:30', toc: false },
  ];
  const expected = { splitMode: 'chapters', chapters };
  const foreign = { img: 'https://example.com/a.png', chapterID: 7 };
  assert.deepEqual(await read(chapters), expected);
  assert.deepEqual(
    await read({ version: '1.2.0', chapters: chapters.map((each) => ({ ...each, ...foreign })) }),
    expected,
  );
  await assert.rejects(read({}), /chapters\.json: there is no list of chapters/);
  await assert.rejects(read([]), /no list of chapters/);
  await assert.rejects(read([{ startTime: 0 }, { title: 'x' }]), /chapters\[1\] has no startTime/);
});

test('a field of the API is reported as its option', () => {
  const names = {
    'snapToSilence.window': '--snap',
    snapToSilence: '--snap',
    'silence.minDuration': '--min-duration',
    'ranges[1].end': '--ranges',
    'splitPoints[0]': '--split-at',
    'chapters[3].startTime': '--chapters-from',
    'trim.end': '--trim',
    'encoding.bitDepth': '--bit-depth',
    'encoding.loudness': '--loudness',
    fileName: '--name',
    sourceUrl: undefined,
    metadata: undefined,
  };
  for (const [field, option] of Object.entries(names)) assert.equal(optionFor(field), option, field);
});

test('the help has a line for every option, and no line is too wide', () => {
  const options = [
    ...[
      'every',
      'parts',
      'silence',
      'at-silence',
      'chapters',
      'chapters-from',
      'split-at',
      'ranges',
      'for',
      'max-size',
    ],
    ...['max-duration', 'overlap', 'snap', 'threshold', 'min-silence', 'min-duration', 'keep-silence'],
    ...['trim', 'track', 'speech', 'rate', 'channels', 'bitrate', 'bit-depth', 'loudness', 'md5'],
    ...['name', 'dry-run', 'plan'],
    ...['out', 'force', 'destination', 'no-copy', 'to', 'source-header', 'server', 'key', 'help'],
  ];
  const listed = [...splitHelp(true).matchAll(/^ {2}--(\S+) /gm)].map(([, name]) => name);
  assert.deepEqual(listed, options);
  for (const line of splitHelp(true).split('\n')) assert.ok(line.length <= 120, line);
});
