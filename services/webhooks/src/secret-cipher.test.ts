import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createSecretCipher } from './secret-cipher.ts';

const SECRET = 'a secret of more than thirty-two bytes';
const key = randomBytes(32);

test('what is sealed opens again, also in another process; twice sealed never looks the same', () => {
  const sealed = createSecretCipher(SECRET).seal(key, 'acc_1');
  assert.deepEqual(createSecretCipher(SECRET).open(sealed, 'acc_1'), key);
  assert.notDeepEqual(createSecretCipher(SECRET).seal(key, 'acc_1'), sealed);
});

test('another secret, another owner, and altered or shortened bytes do not open', () => {
  const cipher = createSecretCipher(SECRET);
  const sealed = cipher.seal(key, 'acc_1');
  assert.throws(() => createSecretCipher(`${SECRET}!`).open(sealed, 'acc_1'));
  assert.throws(() => cipher.open(sealed, 'acc_2'));
  for (const index of sealed.keys()) {
    const altered = Buffer.from(sealed);
    altered.writeUInt8(altered.readUInt8(index) ^ 1, index);
    assert.throws(() => cipher.open(altered, 'acc_1'));
  }
  for (const length of [0, 12, 28, sealed.length - 1]) {
    assert.throws(() => cipher.open(sealed.subarray(0, length), 'acc_1'));
  }
});
