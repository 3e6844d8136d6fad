import type { EgressRequest } from './egress.ts';

/** A request with limits that no response of a test's own server reaches. */
export const GET: EgressRequest = {
  method: 'GET',
  maxRedirects: 5,
  connectTimeoutMs: 2_000,
  headersTimeoutMs: 2_000,
  idleTimeoutMs: 2_000,
  maxBodyBytes: 1_000_000,
};
