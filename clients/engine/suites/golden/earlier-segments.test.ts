/**
 * Copies by plain cuts have the bytes of the release before all other ways to cut. `earlier-segments.json` was
 * recorded with that release; nothing in it depends on an ffmpeg. The MD5 in a header of flac is left out: it
 * is written only on request since then.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Cut } from '../../src/cuts/cut.ts';
import { startSplit } from '../../src/testing/split-run.ts';

interface Recorded {
  readonly file: string;
  readonly mode: keyof typeof CUTS;
  readonly segments: number;
  /** Of the files in their order. */
  readonly sha256: string;
}

/** Shorter and smaller than the API accepts, because the sources are short. */
const CUTS = {
  duration: { mode: 'duration', segmentDurationSeconds: 0.3 },
  fileSize: { mode: 'fileSize', maxFileSizeBytes: 10_000 },
} as const satisfies Record<string, Cut>;
/** Of a FLAC's STREAMINFO (RFC 9639 8.2), in the file. */
const MD5_AT = { start: 26, end: 42 } as const;

const recorded: readonly Recorded[] = JSON.parse(
  await readFile(new URL('earlier-segments.json', import.meta.url), 'utf8'),
);

for (const { file, mode, segments, sha256 } of recorded) {
  // Covers C-1.2
  test(`${file} by ${mode}: the same bytes as before`, async () => {
    const source = await readFile(new URL(file, import.meta.url));
    await using run = await startSplit(source, { cut: CUTS[mode], ffmpegPath: '/nonexistent/ffmpeg' });
    await run.outcome;
    assert.equal(run.segments.length, segments);
    const hash = createHash('sha256');
    for (const { path, extension } of run.segments) {
      const bytes = await readFile(path);
      if (extension === 'flac') bytes.fill(0, MD5_AT.start, MD5_AT.end);
      hash.update(bytes);
    }
    assert.equal(hash.digest('hex'), sha256);
  });
}
