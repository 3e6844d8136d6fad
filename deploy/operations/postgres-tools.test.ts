import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authoritiesFor } from './postgres-tools.ts';

const url = (query: string) => new URL(`postgresql://user@db:5432/audiosplit${query}`);

test("libpq uses the system's authorities if it must verify and none are set", () => {
  assert.deepEqual(authoritiesFor(url('?sslmode=verify-full'), {}), { PGSSLROOTCERT: 'system' });
  assert.deepEqual(authoritiesFor(url('?sslmode=verify-full'), { NODE_EXTRA_CA_CERTS: '/own.pem' }), {
    PGSSLROOTCERT: '/own.pem',
  });
});

test('existing settings are kept, and a weaker mode is unchanged', () => {
  assert.deepEqual(authoritiesFor(url('?sslmode=verify-full&sslrootcert=/ca.pem'), {}), {});
  assert.deepEqual(authoritiesFor(url('?sslmode=verify-full'), { PGSSLROOTCERT: '/ca.pem' }), {});
  for (const query of ['', '?sslmode=require']) assert.deepEqual(authoritiesFor(url(query), {}), {});
});
