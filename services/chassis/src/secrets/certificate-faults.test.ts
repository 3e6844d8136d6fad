import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNetworkError } from '../net/network-errors.ts';
import { isCertificateFault, reasonOf } from './certificate-faults.ts';

const fault = (code: string) => Object.assign(new Error('what OpenSSL says'), { code });

test('says what to change for each problem with the certificate', () => {
  assert.match(
    reasonOf(fault('SELF_SIGNED_CERT_IN_CHAIN')),
    /not taken \(what OpenSSL says\): it is of no authority that this process trusts; NODE_EXTRA_CA_CERTS/,
  );
  assert.match(reasonOf(fault('CERT_HAS_EXPIRED')), /renew it/);
  assert.match(reasonOf(fault('ERR_TLS_CERT_ALTNAME_INVALID')), /another name/);
});

test('finds the problem below any wrapper, and treats it as a connection failure', () => {
  const wrapped = new Error('try again', {
    cause: new Error('no answer', { cause: fault('CERT_UNTRUSTED') }),
  });
  assert.match(reasonOf(wrapped), /NODE_EXTRA_CA_CERTS/);
  assert.ok(isCertificateFault(wrapped));
  assert.ok(isNetworkError(fault('CERT_UNTRUSTED')));
});

test('leaves all other errors unchanged', () => {
  assert.equal(reasonOf(new Error('no answer', { cause: fault('ECONNRESET') })), 'no answer');
  assert.equal(reasonOf('no error'), 'no error');
  assert.equal(isCertificateFault(fault('ECONNRESET')), false);
});
