import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { JobLeaseService, JobsService } from '@audiosplit/proto/jobs/v1/jobs';
import type { DescService } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import type { Clock } from '../clock.ts';
import { silentLogger } from '../process/log.ts';
import { createCaller, type RpcAddress } from '../rpc/client.ts';
import { serveInProcess } from '../rpc/server.ts';
import { testKeysOf } from '../testing/identities.ts';
import { refusal } from '../testing/refusal.ts';
import { actingFor, requireAccount } from './authorization.ts';
import { signAsFormer } from './former-identity.ts';
import type { ActingAccount, Identity } from './identity.ts';
import type { IdentityKeys } from './keys.ts';

const SECRET = 'the secret of the former release';
const NOW = Date.UTC(2026, 0, 1);
const clock: Clock = () => new Date(NOW);
const account = { accountId: 'acc_1', scopes: ['splits:read'] };

interface Seen {
  readonly accounts: ActingAccount[];
  readonly headers: Headers[];
}

function startJobs(keys: IdentityKeys): { readonly address: RpcAddress; readonly seen: Seen } {
  const seen: Seen = { accounts: [], headers: [] };
  const address = serveInProcess({
    routes(router) {
      router.service(JobsService, {
        getJob(_, context) {
          seen.accounts.push(requireAccount(context));
          seen.headers.push(context.requestHeader);
          return {};
        },
        walkJobs(_, context) {
          seen.accounts.push(requireAccount(context));
          return {};
        },
      });
      router.service(JobLeaseService, {
        claimJob(_, context) {
          seen.headers.push(context.requestHeader);
          return {};
        },
      });
    },
    keys,
    log: silentLogger(),
    clock,
  });
  return { address, seen };
}

const upgrading = (process: 'gateway' | 'jobs' | 'splitter'): IdentityKeys => ({
  ...testKeysOf(process),
  formerSecret: SECRET,
});

/** A process of the former release. */
function formerClient<S extends DescService>(
  service: S,
  address: RpcAddress,
  identity: Identity,
  { secret = SECRET, signedAt = clock, authorization = '' } = {},
) {
  const transport = address.connect([
    (next) => (request) => {
      request.header.set('x-audiosplit-identity', signAsFormer(secret, identity, signedAt));
      if (authorization !== '') request.header.set('authorization', authorization);
      return next(request);
    },
  ]);
  return createClient(service, transport);
}

const isUnauthenticated = (error: unknown) => ConnectError.from(error).code === Code.Unauthenticated;

test('calls of the previous release are authorized by the table, for an account and for a process itself', async () => {
  const { address, seen } = startJobs(upgrading('jobs'));
  const forAccount = formerClient(JobsService, address, { process: 'gateway', account });
  await forAccount.getJob({});
  await forAccount.walkJobs({});
  assert.deepEqual(seen.accounts, [account, account]);
  await formerClient(JobLeaseService, address, { process: 'splitter' }).claimJob({});
  await refusal(formerClient(JobLeaseService, address, { process: 'gateway' }).claimJob({}), 'UNAUTHORIZED');
  await refusal(
    formerClient(JobLeaseService, address, { process: 'splitter', account }).claimJob({}),
    'UNAUTHORIZED',
  );
  await refusal(formerClient(JobsService, address, { process: 'gateway' }).getJob({}), 'UNAUTHORIZED');
});

test('a token of the previous release is rejected without its secret, when expired, and beside a bad token', async () => {
  const { address } = startJobs(upgrading('jobs'));
  const withoutSecret = startJobs(testKeysOf('jobs')).address;
  const identity = { process: 'gateway', account } as const;
  for (const client of [
    formerClient(JobsService, withoutSecret, identity),
    formerClient(JobsService, address, identity, { secret: 'another secret' }),
    formerClient(JobsService, address, identity, { signedAt: () => new Date(NOW - 120_000) }),
    formerClient(JobsService, address, identity, { authorization: 'Bearer x' }),
  ]) {
    await assert.rejects(client.getJob({}), isUnauthenticated);
  }
});

test('the previous release can read the identity of its caller', async () => {
  const { address, seen } = startJobs(upgrading('jobs'));
  const callerOf = (process: 'gateway' | 'splitter') => createCaller({ keys: upgrading(process), clock });
  await callerOf('gateway').client(JobsService, address).getJob({}, actingFor(account));
  await callerOf('splitter').client(JobLeaseService, address).claimJob({});
  const exp = NOW / 1000 + 120;
  assert.deepEqual(seen.headers.map(readAsFormer), [
    { id: { kind: 'account', ...account }, exp },
    { id: { kind: 'service', service: 'splitter' }, exp },
  ]);
});

test('calls carry nothing for the previous release unless its secret is set', async () => {
  const { address, seen } = startJobs(testKeysOf('jobs'));
  const gateway = createCaller({ keys: testKeysOf('gateway'), clock });
  await gateway.client(JobsService, address).getJob({}, actingFor(account));
  assert.equal(seen.headers[0]?.has('x-audiosplit-identity'), false);
});

/** Verifies it as the former release does. */
function readAsFormer(headers: Headers): unknown {
  const [header = '', body = '', signature] = (headers.get('x-audiosplit-identity') ?? '').split('.');
  assert.equal(Buffer.from(header, 'base64url').toString(), '{"alg":"HS256"}');
  assert.equal(createHmac('sha256', SECRET).update(`${header}.${body}`).digest('base64url'), signature);
  return JSON.parse(Buffer.from(body, 'base64url').toString());
}
