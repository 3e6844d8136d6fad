/**
 * Malicious sources. Each is split into its own format, which is copied if possible, and into another one,
 * which uses ffmpeg. It must end as the table states, leave nothing behind, and access nothing: neither the
 * prepared files and listener, nor more memory than the bytes sent justify.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { basename } from 'node:path';
import { describe, test } from 'node:test';
import { closed } from '@audiosplit/chassis/testing/closed';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { until } from '@audiosplit/chassis/testing/until';
import { MediaError } from '../../src/media-error.ts';
import { DISGUISE_INPUTS, playlists } from './disguise-inputs.ts';
import { FLAC_INPUTS } from './flac-inputs.ts';
import type { HostileInput, Request } from './hostile-input.ts';
import { openLab, type Trial } from './lab.ts';
import { MATROSKA_INPUTS } from './matroska-inputs.ts';
import { MP4_INPUTS } from './mp4-inputs.ts';
import { MPEG_INPUTS } from './mpeg-inputs.ts';
import { OGG_INPUTS } from './ogg-inputs.ts';
import { RIFF_INPUTS } from './riff-inputs.ts';
import { TAG_INPUTS } from './tag-inputs.ts';
import { SECRET } from './traps.ts';

const FAMILIES: readonly (readonly [name: string, readonly HostileInput[], ...requests: Request[]])[] = [
  ['RIFF', RIFF_INPUTS, 'own', 'mp3'],
  ['FLAC', FLAC_INPUTS, 'own', 'wav'],
  ['Ogg', OGG_INPUTS, 'own', 'wav'],
  ['Matroska and CAF', MATROSKA_INPUTS, 'own', 'wav'],
  ['MP4', MP4_INPUTS, 'own', 'wav'],
  ['MPEG audio', MPEG_INPUTS, 'own', 'wav'],
  ['other formats', DISGUISE_INPUTS, 'own', 'wav'],
  ['tags', TAG_INPUTS, 'own', 'mp3', 'wav'],
];

/** The headers claim gigabytes; the bytes sent are at most 40 MB, and may be held a few times. */
const MAX_GROWTH_BYTES = 512 * 1024 * 1024;

/** Longer than the lab's own timeout: for a case that ignores its abort. */
const HANG_MS = 120_000;

const lab = forSuite(openLab);

function outcomeOf({ error, result }: Trial): unknown {
  if (result !== undefined) return result.segmentCount;
  return error instanceof MediaError ? error.failure : error;
}

function expected({ ends }: HostileInput, request: Request): readonly unknown[] {
  const outcomes =
    typeof ends !== 'object' || !('own' in ends) ? ends : request === 'own' ? ends.own : ends.converted;
  return [outcomes].flat();
}

/**
 * Conditions for every ending: the produced segments are contiguous, are as described, and contain nothing of
 * ours.
 */
function assertHarmless({ result, segments, leftovers }: Trial): void {
  let next = 0;
  for (const [index, segment] of segments.entries()) {
    assert.deepEqual([segment.index, segment.startSample], [index, next]);
    assert.equal(segment.bytes.length, segment.sizeBytes);
    assert.match(basename(segment.path), /^[\w-]+\.(?:mp3|wav|flac|ogg|opus|m4a|aac)$/);
    assert.ok(Number.isSafeInteger(segment.sampleCount) && segment.sampleCount > 0);
    assert.ok(!segment.bytes.includes(SECRET));
    next += segment.sampleCount;
  }
  if (result !== undefined) assert.equal(result.segmentCount, segments.length);
  assert.deepEqual(leftovers, []);
}

async function assertTrapsUntouched(): Promise<void> {
  const { traps } = lab.material;
  assert.equal(traps.calls(), 0);
  assert.deepEqual(await traps.filesRead(), []);
}

for (const [family, inputs, ...requests] of FAMILIES) {
  describe(family, () => {
    for (const input of inputs) {
      test(input.name, { timeout: HANG_MS }, async () => {
        const source = await input.make(lab.material);
        const memoryBefore = process.resourceUsage().maxRSS;
        for (const request of requests) {
          const trial = await lab.split(source, request);
          const [outcome, allowed] = [outcomeOf(trial), expected(input, request)];
          assert.ok(
            allowed.includes(outcome),
            `asked for ${request}: ${outcome} instead of ${allowed.join(' or ')}`,
          );
          assertHarmless(trial);
        }
        const growthBytes = (process.resourceUsage().maxRSS - memoryBefore) * 1024;
        assert.ok(growthBytes < MAX_GROWTH_BYTES, `${growthBytes} bytes more`);
        await assertTrapsUntouched();
      });
    }
  });
}

test('playlists and similar files, bare or after magic bytes, are not accepted as sources', {
  timeout: HANG_MS,
}, async () => {
  for (const source of playlists(lab.material)) {
    const trial = await lab.split(source, 'mp3');
    assert.equal(outcomeOf(trial), 'UNSUPPORTED_MEDIA', source.toString('latin1'));
    assertHarmless(trial);
  }
  await assertTrapsUntouched();
});

test('memory is released', () => {
  assert.ok(process.memoryUsage().arrayBuffers < MAX_GROWTH_BYTES);
});

test('the traps record every access', async () => {
  await using other = await openLab();
  const { traps } = other.material;
  const socket = connect(traps.port, '127.0.0.1');
  await closed(socket);
  await until(() => traps.calls() === 1, 'the call was counted');
  await readFile(traps.secretPath);
  // If the file system does not record reads, only the secret's absence from all outputs can be tested.
  assert.deepEqual(await traps.filesRead(), traps.notesReads ? [traps.secretPath] : []);
});
