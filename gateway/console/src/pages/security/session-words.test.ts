import assert from 'node:assert/strict';
import { test } from 'node:test';
import { programOf } from './session-words.ts';

for (const [userAgent, words] of [
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0',
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
    'Safari on macOS',
  ],
  [
    'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile Safari/537.36',
    'Chrome on Android',
  ],
  ['curl/8.14.1', 'curl/8.14.1'],
  ['python-requests/2.32 extra', 'python-requests/2.32'],
  [null, 'Unknown program'],
] as const) {
  test(`${userAgent ?? 'nothing'} is called ${words}`, () => assert.equal(programOf(userAgent), words));
}
