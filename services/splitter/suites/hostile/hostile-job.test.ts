/**
 * A hostile source of every kind through a whole job: the report to the jobs service, and the files left
 * behind.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { until } from '@audiosplit/chassis/testing/until';
import { findSandbox } from '@audiosplit/engine/sandbox/find-sandbox';
import { splitAudio } from '@audiosplit/engine/split-audio';
import { fromCutFields } from '@audiosplit/proto/cut';
import { DISGUISE_INPUTS, playlists } from '../../../../clients/engine/suites/hostile/disguise-inputs.ts';
import { FLAC_INPUTS } from '../../../../clients/engine/suites/hostile/flac-inputs.ts';
import type { Material } from '../../../../clients/engine/suites/hostile/hostile-input.ts';
import { inChunks, openLab } from '../../../../clients/engine/suites/hostile/lab.ts';
import { MP4_INPUTS } from '../../../../clients/engine/suites/hostile/mp4-inputs.ts';
import { MPEG_INPUTS } from '../../../../clients/engine/suites/hostile/mpeg-inputs.ts';
import { OGG_INPUTS } from '../../../../clients/engine/suites/hostile/ogg-inputs.ts';
import { RIFF_INPUTS } from '../../../../clients/engine/suites/hostile/riff-inputs.ts';
import { TAG_INPUTS } from '../../../../clients/engine/suites/hostile/tag-inputs.ts';
import { startWorkerFixture } from '../../src/work/worker.fixture.ts';

const INPUTS = [
  ...[RIFF_INPUTS, FLAC_INPUTS, OGG_INPUTS, MP4_INPUTS, MPEG_INPUTS, DISGUISE_INPUTS, TAG_INPUTS].flat(),
  { name: 'playlist', make: (material: Material) => playlists(material)[0] ?? Buffer.alloc(0) },
];

const lab = forSuite(openLab);

/** A worker all of whose jobs have the source with this name. */
async function workerWith(name: string) {
  const input = INPUTS.find((candidate) => candidate.name === name);
  assert.ok(input, name);
  const source = await input.make(lab.material);
  const { ffmpegPath } = lab.material.samples;
  const sandbox = await findSandbox(ffmpegPath);
  return startWorkerFixture({
    engine: (options) => splitAudio({ ...options, source: inChunks(source), ffmpegPath, sandbox }),
    jobs: {
      claimJob: () => ({
        request: {
          sourceUrl: 'https://example.com/x',
          cut: fromCutFields({ splitMode: 'duration', segmentDuration: 2 }),
        },
        accountId: 'acc_1',
        fence: 3n,
        attempt: 1,
        leaseMs: 60_000,
        wallClockLeftMs: 600_000n,
        maxSourceBytes: 100_000_000n,
      }),
    },
  });
}

for (const name of [
  'nothing',
  'playlist',
  'wav of 65535 channels',
  'flac whose metadata never ends',
  'opus of pages without packets',
  'm4a with boxes inside each other, 100,000 deep',
  'mp3 of nothing but 0xff',
  'matroska with an element of exabytes',
]) {
  test(`the job fails permanently: ${name}`, async () => {
    await using fixture = await workerWith(name);
    await fixture.offer('job_1');
    await until(() => fixture.said.failed.length === 1);
    const [failed] = fixture.said.failed;
    assert.deepEqual([failed?.error?.code, failed?.retryable], ['UNSUPPORTED_MEDIA', false]);
    assert.doesNotMatch(failed?.error?.message ?? '', /[\r\n]|\/tmp|ffmpeg/);
    await until(async () => (await fixture.scratchLeft()).length === 0);
    assert.deepEqual(fixture.said.completed, []);
  });
}

for (const name of ['wav with 10 MB of title', 'hostile tags.mp3', 'm4a whose audio lies in a local file']) {
  test(`the job completes: ${name}`, async () => {
    await using fixture = await workerWith(name);
    await fixture.offer('job_1');
    await until(() => fixture.said.completed.length === 1);
    const segments = fixture.said.completed[0]?.segments ?? [];
    assert.ok(segments.length >= 2);
    for (const segment of segments) {
      assert.match(segment.fileName, /^talk\.final-\d\.\w+$/);
      assert.match(segment.contentType, /^audio\/[\w-]+$/);
      assert.equal((await fixture.store.head(segment.objectKey)).sizeBytes, Number(segment.sizeBytes));
    }
    await until(async () => (await fixture.scratchLeft()).length === 0);
    assert.deepEqual(fixture.said.failed, []);
  });
}

test('no job has touched a trap', async () => {
  assert.equal(lab.material.traps.calls(), 0);
  assert.deepEqual(await lab.material.traps.filesRead(), []);
});
