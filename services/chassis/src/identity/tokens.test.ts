import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { JobLeaseService, JobsService } from '@audiosplit/proto/jobs/v1/jobs';
import { testKeysOf } from '../testing/identities.ts';
import { type IdentityKeys, makeKeyPair, readPublicKeys } from './keys.ts';
import { createSigner, createVerifier } from './tokens.ts';

const NOW = Date.UTC(2026, 0, 1);
const { getJob, listJobs } = JobsService.method;
const account = { accountId: 'acc_1', scopes: ['splits:read'] };
const gateway = testKeysOf('gateway');

describe('tokens of internal calls', () => {
  let nowMs = NOW;
  const clock = () => new Date(nowMs);
  const verify = createVerifier(gateway.publicKeys, clock);

  test('a token returns the signed identity for one minute', () => {
    nowMs = NOW;
    const token = createSigner(gateway, clock)(getJob, account);
    for (const _ of ['verified', 'known']) {
      assert.deepEqual(verify(getJob, token), { process: 'gateway', account });
    }
    nowMs = NOW + 59_000;
    assert.deepEqual(verify(getJob, token), { process: 'gateway', account });
    nowMs = NOW + 60_000;
    assert.equal(verify(getJob, token), undefined);
    assert.equal(createVerifier(gateway.publicKeys, clock)(getJob, token), undefined);
  });

  test('a token of a process that acts for no account has no account', () => {
    const token = createSigner(testKeysOf('splitter'), clock)(JobLeaseService.method.claimJob);
    assert.deepEqual(verify(JobLeaseService.method.claimJob, token), {
      process: 'splitter',
      account: undefined,
    });
  });

  test('a token is valid for its own method only, whether or not it was verified before', () => {
    const token = createSigner(gateway, clock)(getJob, account);
    assert.equal(verify(listJobs, token), undefined);
    assert.ok(verify(getJob, token));
    assert.equal(verify(listJobs, token), undefined);
  });

  test('a token that is cut, altered or signed with another key is rejected', () => {
    const token = createSigner(gateway, clock)(getJob, account);
    const [header = '', body = '', signature = ''] = token.split('.');
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
    const stranger: IdentityKeys = { ...gateway, privateKey: makeKeyPair().privateKey };
    const asAnother: IdentityKeys = { ...testKeysOf('splitter'), process: 'gateway' };
    const unsigned = encode({ alg: 'none' });
    for (const forged of [
      '',
      header,
      `${header}.${body}`,
      `${header}.${body}.`,
      `${header}.${encode({ ...claims, acc: { ...account, accountId: 'acc_2' } })}.${signature}`,
      `${header}.${encode({ ...claims, iss: 'nobody' })}.${signature}`,
      `${unsigned}.${body}.${signature}`,
      `${unsigned}.${body}.`,
      createSigner(stranger, clock)(getJob, account),
      createSigner(asAnother, clock)(getJob, account),
    ]) {
      assert.equal(verify(getJob, forged), undefined, forged);
    }
  });

  test('tokens under either of two keys are accepted, and new ones use the first key', () => {
    const [former, next] = [makeKeyPair(), makeKeyPair()];
    const keysOf = (privateKey: string) => ({ ...gateway, privateKey });
    const both = readPublicKeys(`gateway ${former.publicKey}\ngateway ${next.publicKey}`);
    const onlyNext = readPublicKeys(`gateway ${next.publicKey}`);
    const before = createSigner(keysOf(former.privateKey), clock)(getJob, account);
    const during = createSigner(keysOf(`${next.privateKey}\n${former.privateKey}`), clock)(getJob, account);
    for (const token of [before, during]) assert.ok(createVerifier(both, clock)(getJob, token));
    assert.ok(createVerifier(onlyNext, clock)(getJob, during));
    assert.equal(createVerifier(onlyNext, clock)(getJob, before), undefined);
  });

  test('a signer makes a new token before the old one expires', () => {
    nowMs = NOW;
    const sign = createSigner(gateway, clock);
    const first = sign(getJob, account);
    nowMs = NOW + 14_000;
    assert.equal(sign(getJob, account), first);
    assert.notEqual(sign(getJob), first);
    assert.notEqual(sign(listJobs, account), first);
    nowMs = NOW + 15_000;
    assert.notEqual(sign(getJob, account), first);
  });
});
