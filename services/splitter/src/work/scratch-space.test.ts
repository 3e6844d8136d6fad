import assert from 'node:assert/strict';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { defaultScratchLimit } from './scratch-space.ts';

// Covers B-5.5
test('by default the scratch folder may use 80 % of what its disk has free, also before it exists', async () => {
  const { bavail, bsize } = await statfs(tmpdir());
  const limit = await defaultScratchLimit(join(tmpdir(), 'not', 'there', 'yet'));
  const ratio = limit / (bavail * bsize);
  assert.ok(Math.abs(ratio - 0.8) < 0.05, `${ratio}`);
});
