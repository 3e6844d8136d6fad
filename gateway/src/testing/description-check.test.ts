import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDescriptionCheck } from './description-check.ts';

const schema = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } };
const check = createDescriptionCheck({
  components: { headers: { 'X-Limit': { required: true }, 'X-Hint': { required: false } } },
  paths: {
    '/things/{id}': {
      get: {
        responses: {
          '200': { headers: { 'X-Limit': {}, 'X-Hint': {} }, content: { 'application/json': { schema } } },
        },
      },
    },
  },
});
const url = new URL('http://localhost/things/1');
const limit = { 'x-limit': '1' };

test('a response as described passes, and its body can still be read', async () => {
  const response = Response.json({ id: 'a' }, { headers: limit });
  await check('GET', url, response);
  assert.deepEqual(await response.json(), { id: 'a' });
});

for (const [what, response, complaint] of [
  ['status', Response.json({ id: 'a' }, { status: 409, headers: limit }), /409 is not described/],
  ['missing header', Response.json({ id: 'a' }), /lacks X-Limit/],
  ['body', Response.json({ id: 1 }, { headers: limit }), /id must be string/],
] as const) {
  test(`another ${what} than described is rejected`, async () => {
    await assert.rejects(check('GET', url, response), complaint);
  });
}
