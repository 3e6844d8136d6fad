import assert from 'node:assert/strict';
import { STATUS_OF_CODE } from '../http/errors/error-codes.ts';

interface Expectation {
  readonly field?: string;
  readonly message?: RegExp;
}

/** Checks the envelope and headers of an error, and returns its body. */
export async function expectError(
  response: Response,
  code: keyof typeof STATUS_OF_CODE,
  { field, message }: Expectation = {},
): Promise<{ message: string; details: { field: string; message: string }[] }> {
  const text = await response.text();
  assert.equal(response.status, STATUS_OF_CODE[code], text);
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
  assert.match(response.headers.get('x-request-id') ?? '', /^[\w.:-]{1,128}$/);
  const { error, ...rest } = JSON.parse(text);
  assert.deepEqual(rest, {}, 'nothing beside error');
  assert.equal(error.code, code);
  assert.equal(error.status, response.status);
  assert.ok(typeof error.message === 'string' && error.message.length > 0);
  assert.equal(typeof error.retryAfter, code === 'RATE_LIMITED' ? 'number' : 'undefined');
  const known = ['code', 'message', 'status', 'retryAfter', 'details'];
  assert.deepEqual(
    Object.keys(error).filter((name) => !known.includes(name)),
    [],
  );
  const details: { field: string; message: string }[] = error.details ?? [];
  if (field !== undefined)
    assert.ok(
      details.some((each) => each.field === field),
      `${text} names ${field}`,
    );
  if (message !== undefined) assert.match(error.message, message);
  return { message: error.message, details };
}
