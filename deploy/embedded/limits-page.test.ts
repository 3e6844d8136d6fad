import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { ERROR_CODES } from '@audiosplit/gateway/http/errors/error-guide';
import { JOB_ERROR_CODES } from '@audiosplit/gateway/schemas/splits';
import { boundSettings, LIMITS_PAGE, renderLimitsPage } from './limits-page.ts';
import { METRICS } from './metrics.ts';

// Covers B-1.7 B-6.7
test('docs/limits.md matches the routes and the settings', async () => {
  assert.equal(
    await readFile(LIMITS_PAGE, 'utf8'),
    await renderLimitsPage(),
    'run `npm run generate -- limits`',
  );
});

// Covers B-1.7
test('each limit has a default, a metric that exists, and codes that exist', () => {
  for (const { name, bound, default: value, shownDefault } of boundSettings()) {
    assert.ok(value !== undefined || shownDefault !== undefined, name);
    for (const [, metric = ''] of bound?.metric.matchAll(/`(audiosplit_\w+)/g) ?? []) {
      assert.ok(metric in METRICS, `${name}: ${metric}`);
    }
    assert.match(bound?.metric ?? '', /`audiosplit_/, name);
    for (const [, code = ''] of bound?.beyond.matchAll(/`([A-Z_]+)`/g) ?? []) {
      assert.ok(
        [...ERROR_CODES, ...JOB_ERROR_CODES].some((known) => known === code),
        `${name}: ${code}`,
      );
    }
  }
});
