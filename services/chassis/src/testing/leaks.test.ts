import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { leaksIn } from './leaks.ts';

const secret = 'planted pässword/+"';
const url = new URL('smtp://ada@host');
url.password = secret;

describe('leaks', () => {
  for (const [spelling, line] of Object.entries({
    plain: `the password is ${secret}.`,
    'in JSON': JSON.stringify({ said: secret }),
    'in a URL': url.href,
    'as part of a URL': `https://host/?password=${encodeURIComponent(secret)}`,
    'in a form': new URLSearchParams({ password: secret }).toString(),
    'in hex': Buffer.from(secret).toString('hex'),
    ...Object.fromEntries(
      ['', 'a:', 'ab:', 'abc:'].map((user) => [
        `in base64 after ${JSON.stringify(user)}`,
        `Basic ${Buffer.from(`${user}${secret}`).toString('base64')}`,
      ]),
    ),
    'in base64 before something': Buffer.from(`${secret}@host`).toString('base64'),
    'in base64url': Buffer.from(`a:${secret}`).toString('base64url'),
  })) {
    it(`are found ${spelling}`, () => {
      assert.deepEqual(leaksIn(['nothing here', line], { password: secret, other: 'not in there' }), [
        `password: ${line}`,
      ]);
    });
  }

  it('cannot be searched for a secret that is too short', () => {
    assert.throws(() => leaksIn([], { pin: '1234' }), /pin is too short/);
  });
});
