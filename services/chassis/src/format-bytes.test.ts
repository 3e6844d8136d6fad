import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatBytes, formatExcess } from './format-bytes.ts';

test('bytes are shown with three digits, in the largest suitable unit', () => {
  const shown: Record<number, string> = {
    0: '0 B',
    999: '999 B',
    1000: '1.00 kB',
    9995: '10.0 kB',
    384000: '384 kB',
    999600: '1.00 MB',
    12340000: '12.3 MB',
    5000000000000000: '5000 TB',
  };
  for (const [bytes, text] of Object.entries(shown)) assert.equal(formatBytes(Number(bytes)), text);
});

test('a size above its limit is always shown as another figure than the limit', () => {
  assert.deepEqual(formatExcess(525_336_576, 524_288_000), ['525 MB', '524 MB']);
  assert.deepEqual(formatExcess(104_857_601, 104_857_600), ['104,857,601 bytes', '104,857,600 bytes']);
});
