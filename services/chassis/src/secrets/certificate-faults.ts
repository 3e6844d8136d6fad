/**
 * Explains rejected server certificates and says what to change. The codes are Node's, which are OpenSSL's
 * where they concern the certificate itself (https://nodejs.org/api/tls.html#x509-certificate-error-codes).
 */
import { messageOf } from '../errors.ts';

const UNTRUSTED =
  'it is of no authority that this process trusts; NODE_EXTRA_CA_CERTS names a file with more of them, which is read when a process starts';
const NOT_OF_THIS_TIME = 'renew it, or set the clock of this machine right';

const ADVICE: ReadonlyMap<string, string> = new Map([
  ['UNABLE_TO_GET_ISSUER_CERT', UNTRUSTED],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', UNTRUSTED],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', UNTRUSTED],
  ['SELF_SIGNED_CERT_IN_CHAIN', UNTRUSTED],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', UNTRUSTED],
  ['CERT_SIGNATURE_FAILURE', UNTRUSTED],
  ['CERT_UNTRUSTED', UNTRUSTED],
  ['CERT_HAS_EXPIRED', NOT_OF_THIS_TIME],
  ['CERT_NOT_YET_VALID', NOT_OF_THIS_TIME],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'it is reached by another name than those'],
]);

/** Whether a server's certificate was rejected, however the error is wrapped. */
export function isCertificateFault(error: unknown): boolean {
  return certificateFaultIn(error) !== undefined;
}

/** For operators only: what went wrong and, if a certificate was rejected, why and what to change. */
export function reasonOf(error: unknown): string {
  const fault = certificateFaultIn(error);
  if (fault === undefined) return messageOf(error);
  return `the server's certificate is not taken (${fault.message}): ${ADVICE.get(fault.code)}`;
}

function certificateFaultIn(error: unknown): (Error & { readonly code: string }) | undefined {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    if (isFault(inner)) return inner;
  }
  return undefined;
}

function isFault(error: Error): error is Error & { readonly code: string } {
  return 'code' in error && typeof error.code === 'string' && ADVICE.has(error.code);
}
