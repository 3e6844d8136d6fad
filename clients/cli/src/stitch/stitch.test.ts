import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { runCaptured } from '../run-captured.fixture.ts';

const SEGMENTS = [
  { file: 'talk-0.mp3', startTime: 0, endTime: 10 },
  { file: 'talk-1.mp3', startTime: 8, contentStart: 10, endTime: 20 },
];
const ANSWERS = [
  [{ start: 8, end: 10, text: 'One.' }],
  [
    { start: 0, end: 2, text: 'One.' },
    { start: 2, end: 4, text: 'Two.' },
  ],
];

describe('audiosplit stitch', () => {
  let root: string;
  let folder: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'audiosplit-stitch-'));
  });
  after(() => rm(root, { recursive: true }));
  beforeEach(async () => {
    folder = await mkdtemp(join(root, 'parts-'));
    await put('manifest.json', { source: 'talk.mp3', segments: SEGMENTS });
    await put('talk-0.json', ANSWERS[0]);
    await put('talk-1.mp3.json', { segments: ANSWERS[1] });
  });

  const put = (name: string, value: unknown) => writeFile(join(folder, name), JSON.stringify(value));
  const run = (...args: string[]) => runCaptured(['stitch', ...args], { env: {}, workingDir: folder });

  test('reads the transcripts beside the segments of a folder', async () => {
    assert.deepEqual(await run('.'), { code: 0, stdout: 'One.\nTwo.\n', stderr: '' });
  });

  for (const [format, expected] of [
    ['srt', '1\n00:00:08,000 --> 00:00:10,000\nOne.\n\n2\n00:00:10,000 --> 00:00:12,000\nTwo.\n'],
    ['vtt', 'WEBVTT\n\n00:00:08.000 --> 00:00:10.000\nOne.\n\n00:00:10.000 --> 00:00:12.000\nTwo.\n'],
  ] as const) {
    test(`writes ${format} for --to, and for the name of --out`, async () => {
      assert.equal((await run('.', '--to', format)).stdout, expected);
      assert.deepEqual(await run('.', '--out', `talk.${format}`), { code: 0, stdout: '', stderr: '' });
      assert.equal(await readFile(join(folder, `talk.${format}`), 'utf8'), expected);
    });
  }

  test('writes json', async () => {
    assert.deepEqual(JSON.parse((await run('.', '--to', 'json')).stdout), [
      { start: 8, end: 10, text: 'One.' },
      { start: 10, end: 12, text: 'Two.' },
    ]);
  });

  test('accepts a job of the API, or lines of audiosplit cut, with a transcript for each segment', async () => {
    await put('job.json', { id: 'job_1', segments: SEGMENTS.map(({ file: _, ...times }) => times) });
    await writeFile(join(folder, 'lines'), SEGMENTS.map((each) => `${JSON.stringify(each)}\n`).join(''));
    for (const list of ['job.json', 'lines', 'manifest.json']) {
      const { stdout, stderr } = await run(list, 'talk-0.json', 'talk-1.mp3.json');
      assert.equal(stdout, 'One.\nTwo.\n', `${list}: ${stderr}`);
    }
  });

  test('overwrites a file only if forced', async () => {
    await put('talk.txt', 'mine');
    const { code, stderr } = await run('.', '--out', 'talk.txt');
    assert.equal(code, 2);
    assert.match(stderr, /talk\.txt exists: .*--force\n$/);
    assert.equal((await run('.', '--out', 'talk.txt', '--force')).code, 0);
    assert.equal(await readFile(join(folder, 'talk.txt'), 'utf8'), 'One.\nTwo.\n');
  });

  for (const [what, args, message] of [
    ['no folder', [], /name the folder of the segments/],
    ['another format', ['.', '--to', 'docx'], /--to docx: choose one of text, srt, vtt, json/],
    ['too few transcripts', ['.', 'talk-0.json'], /there are 2 segments, and 1 transcripts/],
    ['a list without segments', ['talk-1.mp3.json'], /lists no segments/],
    ['a file that is not a transcript', ['.', 'manifest.json', 'bare.json'], /bare\.json is no transcript/],
    ['a file that is not JSON', ['.', 'talk-0.json', 'torn.json'], /torn\.json is not JSON/],
  ] as const) {
    test(`is rejected with one line: ${what}`, async () => {
      await put('bare.json', { a: 1 });
      await writeFile(join(folder, 'torn.json'), '{');
      const { code, stdout, stderr } = await run(...args);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, message);
      assert.equal(stderr.trimEnd().split('\n').length, 1);
    });
  }

  test('a segment without a transcript is named, and so is a missing folder', async () => {
    await rm(join(folder, 'talk-1.mp3.json'));
    assert.match(
      (await run('.')).stderr,
      /segment 1 has no transcript: there is no .*talk-1\.json, and no .*talk-1\.mp3\.json/,
    );
    const { code, stderr } = await run('nowhere');
    assert.deepEqual([code, /no such file or directory/i.test(stderr)], [1, true]);
  });

  test('--help shows the usage', async () => {
    assert.match((await run('--help')).stdout, /^Usage: audiosplit stitch/);
  });
});
