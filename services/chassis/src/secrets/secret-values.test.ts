import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSignatureOf, secretValues, signText } from './secret-values.ts';

test('values are separated by line breaks only', () => {
  assert.deepEqual(secretValues('one, with a comma and spaces'), ['one, with a comma and spaces']);
  assert.deepEqual(secretValues('next\npresent'), ['next', 'present']);
  assert.deepEqual(secretValues('next \r\n\n present'), ['next', 'present']);
});

test('a signature is valid under any value, and is made with the first', () => {
  const signature = signText('text', 'next\npresent');
  assert.deepEqual(signature, signText('text', 'next'));
  assert.ok(isSignatureOf('text', signature, 'present\nnext'));
  assert.ok(!isSignatureOf('text', signature, 'present'));
  assert.ok(!isSignatureOf('another text', signature, 'next'));
  assert.ok(!isSignatureOf('text', signature.subarray(1), 'next'));
});
