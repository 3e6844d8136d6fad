import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Reason, ReasonSchema, RpcCode } from '@audiosplit/proto/errors/v1/errors';
import { ANSWERS } from './answers.ts';

/** Reasons of the lease protocol, which the API never answers with. */
const INTERNAL: readonly Reason[] = [Reason.UNSPECIFIED, Reason.LEASE_LOST, Reason.NOT_CLAIMABLE];

for (const { number, localName } of ReasonSchema.values) {
  test(`${localName} has its codes`, () => {
    const { httpStatus = 0, rpcCode } = ANSWERS.get(number) ?? {};
    if (INTERNAL.includes(number)) assert.equal(httpStatus, 0);
    else assert.ok(httpStatus >= 400 && httpStatus < 600, `HTTP status ${httpStatus}`);
    assert.equal(rpcCode === RpcCode.UNSPECIFIED, number === Reason.UNSPECIFIED);
  });
}
