import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSecretBox } from './secret-box.ts';

describe('the secret box', () => {
  const box = createSecretBox('a secret', 'a purpose');
  const plaintext = Buffer.from('what nobody should read');
  const sealed = box.seal(plaintext, 'a context');

  it('opens what it has encrypted', () => assert.deepEqual(box.open(sealed, 'a context'), plaintext));

  it('never encrypts the same way twice', () =>
    assert.notDeepEqual(box.seal(plaintext, 'a context'), sealed));

  it('opens nothing with another secret, purpose or context', () => {
    assert.throws(() => createSecretBox('another secret', 'a purpose').open(sealed, 'a context'));
    assert.throws(() => createSecretBox('a secret', 'another purpose').open(sealed, 'a context'));
    assert.throws(() => box.open(sealed, 'another context'));
  });

  it('opens with any value of a secret that is being changed, and encrypts with the first', () => {
    for (const secret of ['a secret\nthe next one', 'the next one\na secret']) {
      assert.deepEqual(createSecretBox(secret, 'a purpose').open(sealed, 'a context'), plaintext);
    }
    const underNext = createSecretBox('the next one\na secret', 'a purpose').seal(plaintext, 'a context');
    assert.deepEqual(createSecretBox('the next one', 'a purpose').open(underNext, 'a context'), plaintext);
    assert.throws(() => box.open(underNext, 'a context'));
  });

  it('opens nothing that was altered or cut', () => {
    for (let index = 0; index < sealed.length; index++) {
      const altered = Buffer.from(sealed);
      altered.writeUInt8(altered.readUInt8(index) ^ 1, index);
      assert.throws(() => box.open(altered, 'a context'));
    }
    assert.throws(() => box.open(sealed.subarray(0, 20), 'a context'));
  });
});
