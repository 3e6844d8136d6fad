/** One job on several splitters, with the real services, the real engine and real audio. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { until } from '@audiosplit/chassis/testing/until';
import { createAudioSamples, sound } from '@audiosplit/engine/testing/audio-samples';
import { JOBS_SCHEMA } from '@audiosplit/jobs/schema';
import { fromCutFields } from '@audiosplit/proto/cut';
import { JobStatus, OutputFormat } from '@audiosplit/proto/jobs/v1/jobs';
import { UNLIMITED } from '../harness/accounts/limits.ts';
import { startScriptedSplitter } from '../harness/installation/scripted-splitter.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';
import { startSources } from '../harness/servers/sources.ts';

const SOURCE_SECONDS = 95;
/** Small enough that a source of a minute and a half is divided into several parts. */
const DIVISION = { minWorkSeconds: 0, partWorkSeconds: 0.2 };
const SPLITTERS = 2;

describe('one job on several splitters', () => {
  const installation = forSuite(startDivided);

  test('gives the same segments as one splitter, and leaves nothing else behind', async () => {
    const whole = await installation.complete(OutputFormat.MP3, { dividing: false });
    const divided = await installation.complete(OutputFormat.MP3, { dividing: true });
    assert.equal(await installation.wasDivided(whole.id), false);
    assert.equal(await installation.wasDivided(divided.id), true);
    const described = ({ segments }: typeof whole) =>
      segments.map(({ index, fileName, contentType, startMs, durationMs, sizeBytes }) => ({
        ...{ index, fileName, contentType, startMs, durationMs, sizeBytes },
      }));
    assert.deepEqual(described(divided), described(whole));
    assert.deepEqual(await installation.hashesOf(divided), await installation.hashesOf(whole));
    assert.ok(installation.haveAllWorked());
    assert.equal(divided.sourceDurationMs, whole.sourceDurationMs);
    assert.equal(divided.sourceSizeBytes, whole.sourceSizeBytes);
    await installation.sweep();
    const keys = await Array.fromAsync(installation.store.list(`jobs/${divided.id}/`), ({ key }) => key);
    assert.deepEqual(keys.sort(), divided.segments.map(({ objectKey }) => objectKey).sort());
  });
});

async function startDivided() {
  await using starting = new AsyncDisposableStack();
  const samples = starting.use(await createAudioSamples());
  const services = starting.use(
    await startInstallation({ kind: 'scripted', clock: 'system', env: { JOB_REAP_EVERY_SECONDS: '60' } }),
  );
  const { sql, store, jobs } = services;
  const { id: accountId } = await services.openAccount({ limits: UNLIMITED });
  const path = await samples.make('talk.wav', sound(16_000, SOURCE_SECONDS, 'mono'), '-c:a', 'pcm_s16le');
  const sources = starting.use(await startSources({ files: { 'talk.wav': await readFile(path) } }));
  let haveAllWorked = false;
  /** No part continues before every splitter has one. */
  function waitingForAll(inner: ObjectStore): ObjectStore {
    return {
      ...inner,
      async get(key, range) {
        if (key.endsWith('/source/pieces')) await until(everySplitterWorks, 'every splitter has a part');
        return inner.get(key, range);
      },
      [Symbol.asyncDispose]: async () => undefined,
    };
  }
  async function everySplitterWorks(): Promise<boolean> {
    if (haveAllWorked) return true;
    const { rows } = await sql.query('select count(distinct worker_id)::int as workers from jobs.job_parts');
    haveAllWorked ||= rows[0]?.workers === SPLITTERS;
    return haveAllWorked;
  }

  const startSplitters = async (dividing: boolean) => {
    await using stack = new AsyncDisposableStack();
    for (let n = 0; n < (dividing ? SPLITTERS : 1); n++) {
      const splitter = stack.use(
        await startScriptedSplitter(services, {
          env: { SCRATCH_DIR: join(services.folder, `scratch-${n}`), SPLITTER_CONCURRENCY: '1' },
          adjust: () => ({ division: dividing ? DIVISION : undefined }),
          openStore: async () => waitingForAll(store),
        }),
      );
      if (n === 0) services.serve('splitter', splitter.routes);
    }
    return stack.move();
  };
  const running = starting.move();
  return {
    store,
    async complete(outputFormat: OutputFormat, { dividing }: { readonly dividing: boolean }) {
      await using _splitters = await startSplitters(dividing);
      const request = {
        sourceUrl: sources.url('talk.wav'),
        cut: fromCutFields({ splitMode: 'duration', segmentDuration: 3 }),
        outputFormat,
      };
      const asCaller = () => services.actingFor(accountId);
      const { job: created } = await jobs.createJob({ request }, asCaller());
      const jobId = created?.id ?? '';
      const read = async () => (await jobs.getJob({ jobId }, asCaller())).job;
      await until(async () => (await read())?.status === JobStatus.COMPLETED, 'the job completes');
      const job = await read();
      assert.ok(job);
      return job;
    },
    async wasDivided(jobId: string): Promise<boolean> {
      const { rows } = await sql.query('select is_divided from jobs.jobs where id = $1', [jobId]);
      return rows[0]?.is_divided === true;
    },
    haveAllWorked: () => haveAllWorked,
    async hashesOf({ segments }: { readonly segments: readonly { readonly objectKey: string }[] }) {
      const objects = await Promise.all(segments.map(({ objectKey }) => store.get(objectKey)));
      return Promise.all(objects.map(async ({ body }) => hash('sha256', await buffer(body))));
    },
    async sweep() {
      await sql.query("update jobs.doomed_prefixes set delete_after = now() - interval '1 second'");
      await services.runTask(JOBS_SCHEMA, 'sweep-objects');
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
