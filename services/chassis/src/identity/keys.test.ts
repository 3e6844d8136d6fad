import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '../process/env.ts';
import { TEST_IDENTITIES, testIdentityEnv } from '../testing/identities.ts';
import { formatPublicKeys, readIdentityKeys } from './keys.ts';

test('a process whose keys do not match does not start', () => {
  const env = testIdentityEnv('jobs');
  assert.equal(readIdentityKeys(env, 'jobs').process, 'jobs');
  const [, ...withoutGateway] = env.IDENTITY_PUBLIC_KEYS.split('\n');
  const shared = formatPublicKeys({ ...TEST_IDENTITIES, splitter: TEST_IDENTITIES.jobs });
  for (const [publicKeys, problem] of [
    [withoutGateway.join('\n'), /gateway has none/],
    [shared, /not one for jobs and splitter/],
    [formatPublicKeys({ ...TEST_IDENTITIES, jobs: TEST_IDENTITIES.splitter }), /public half .* of jobs/],
  ] as const) {
    assert.throws(
      () => readIdentityKeys({ ...env, IDENTITY_PUBLIC_KEYS: publicKeys }, 'jobs'),
      (error) => error instanceof ConfigError && problem.test(error.message),
    );
  }
});
