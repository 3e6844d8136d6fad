import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isWellFormedApiKeySecret, mintApiKeySecret, previewOfApiKeySecret } from './api-key-secret.ts';

describe('API key secrets', () => {
  // Covers D-1.16 D-9.22
  it('are the prefix, 43 characters of randomness and 6 of checksum', () => {
    // The CRC-32 of forty-three zeros, and the digits of 2^256 - 1, were computed independently.
    assert.equal(mintApiKeySecret(new Uint8Array(32)), `ask_live_${'0'.repeat(43)}2CZclj`);
    assert.equal(
      mintApiKeySecret(new Uint8Array(32).fill(255)).slice(0, 52),
      'ask_live_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp1',
    );
  });

  it('are well formed for any random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (random) => {
        const secret = mintApiKeySecret(random);
        assert.match(secret, /^ask_live_[0-9A-Za-z]{49}$/);
        assert(isWellFormedApiKeySecret(secret));
      }),
    );
  });

  it('are all different', () => assert.notEqual(mintApiKeySecret(), mintApiKeySecret()));

  it('are not well formed with any one character changed', () => {
    const secret = mintApiKeySecret();
    for (let index = 0; index < secret.length; index++) {
      const other = secret[index] === 'a' ? 'b' : 'a';
      assert.equal(isWellFormedApiKeySecret(secret.slice(0, index) + other + secret.slice(index + 1)), false);
    }
  });

  for (const [what, alter] of [
    ['nothing', () => ''],
    ['a missing character', (secret: string) => secret.slice(0, -1)],
    ['one character too many', (secret: string) => `${secret}0`],
    ['a trailing line break', (secret: string) => `${secret}\n`],
    ['another prefix', (secret: string) => secret.replace('live', 'test')],
    ['swapped neighbours', (secret: string) => secret.replace(/^(.{9})(.)(.)/, '$1$3$2')],
  ] as const) {
    it(`are not well formed with ${what}`, () => {
      const secret = mintApiKeySecret(new Uint8Array(32).fill(7));
      assert.equal(isWellFormedApiKeySecret(alter(secret)), false);
    });
  }

  // Covers D-1.18 I-2.1.4
  it('show the first four and the last four characters in their preview', () => {
    const secret = `ask_live_a1b2${'x'.repeat(41)}wxyz`;
    assert.equal(previewOfApiKeySecret(secret), 'ask_live_a1b2…wxyz');
  });
});
