import { isCertificateFault } from '../secrets/certificate-faults.ts';

/** Error codes of failed connections, whatever the protocol. They are those of Node's system errors. */
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

/** Also true for a rejected certificate, because there is no connection either. */
export function isNetworkError(error: unknown): boolean {
  if (isCertificateFault(error)) return true;
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && CODES.has(error.code);
}
