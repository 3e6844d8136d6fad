import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { test } from 'node:test';
import { ConfigError } from '@audiosplit/chassis/process/env';
import { readSplitterConfig } from './config.ts';

// Covers B-5.5
test('the scratch folder has no limit unless one is set', () => {
  const limitOf = (value?: string) => readSplitterConfig({ SCRATCH_LIMIT_BYTES: value }).scratchLimitBytes;
  assert.equal(limitOf(), undefined);
  assert.equal(limitOf('8589934592'), 8 * 1024 ** 3);
  for (const wrong of ['8Gi', '0', '-1', '1.5']) {
    assert.throws(
      () => limitOf(wrong),
      (error) => error instanceof ConfigError && error.variable === 'SCRATCH_LIMIT_BYTES',
    );
  }
});

// Covers B-2.3
test('a splitter fetches 64 sources concurrently unless another number, up to 1,024, is set', () => {
  const fetches = (value?: string) => readSplitterConfig({ SPLITTER_FETCHES: value }).fetches;
  assert.deepEqual([fetches(), fetches('1'), fetches('1024')], [64, 1, 1_024]);
  for (const wrong of ['0', '1025', '1.5', 'many']) {
    assert.throws(
      () => fetches(wrong),
      (error) => error instanceof ConfigError && error.variable === 'SPLITTER_FETCHES',
    );
  }
});

test('the transfers of a job may take an hour unless another limit is set', () => {
  const limitOf = (value?: string) =>
    readSplitterConfig({ SOURCE_FETCH_MAX_SECONDS: value }).sourceLimits.maxFetchMs;
  assert.equal(limitOf(), 3_600_000);
  assert.equal(limitOf('90'), 90_000);
  for (const wrong of ['1h', '0', '-1', '1.5', '86401']) {
    assert.throws(
      () => limitOf(wrong),
      (error) => error instanceof ConfigError && error.variable === 'SOURCE_FETCH_MAX_SECONDS',
    );
  }
});

test('a dry run may take 60 s to draw its waveform unless DRY_RUN_WAVEFORM_MAX_SECONDS sets another limit', () => {
  const limitOf = (value?: string) =>
    readSplitterConfig({ DRY_RUN_WAVEFORM_MAX_SECONDS: value }).maxDrawingMs;
  assert.equal(limitOf(), 60_000);
  assert.equal(limitOf('5'), 5_000);
  for (const wrong of ['0', '601', '1.5', '1m']) {
    assert.throws(
      () => limitOf(wrong),
      (error) => error instanceof ConfigError && error.variable === 'DRY_RUN_WAVEFORM_MAX_SECONDS',
    );
  }
});

test('a splitter starts with the defaults on any number of CPUs', async (t) => {
  t.mock.method(os, 'availableParallelism', () => 192);
  syncBuiltinESMExports();
  t.after(syncBuiltinESMExports);
  const { readSplitterConfig: read } = await import(`${import.meta.resolve('./config.ts')}?cpus=192`);
  assert.equal(read({}).concurrency, 64);
});
