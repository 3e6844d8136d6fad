import { isCertificateFault } from '../secrets/certificate-faults.ts';

/** What a connection fails with, whatever spoke over it; the codes are those of Node's system errors. */
const CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** Or that there is none, as the other end's certificate is not taken. */
export function isNetworkError(error: unknown): boolean {
  if (isCertificateFault(error)) return true;
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && CODES.has(error.code);
}
