import assert from 'node:assert/strict';
import { test } from 'node:test';
import { typedMoney } from './typed-money.ts';

test('an amount is read to the cent', () => {
  const read = [' 90 ', '$90', '90.5', '0', '12.05', '999999.99'].map(typedMoney);
  assert.deepEqual(read, [9_000, 9_000, 9_050, 0, 1_205, 99_999_999]);
});

test('a value that is not an amount is rejected', () => {
  for (const text of ['', 'ninety', '-1', '1.234', '1,50', '1e3', '1000000', '.']) {
    assert.equal(typedMoney(text), undefined, text);
  }
});
