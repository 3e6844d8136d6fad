import assert from 'node:assert/strict';
import { type ErrorInfo, Reason } from '@audiosplit/proto/errors/v1/errors';
import { errorInfoOf } from '../rpc/errors.ts';

/** What a refused call says; fails when the call succeeds or is refused for another reason. */
export async function refusal(call: Promise<unknown>, reason: keyof typeof Reason): Promise<ErrorInfo> {
  try {
    await call;
  } catch (error) {
    const info = errorInfoOf(error);
    assert.equal(Reason[info.reason], reason, info.publicMessage);
    assert.notEqual(info.publicMessage, '');
    return info;
  }
  assert.fail(`the call was not refused with ${reason}`);
}
