import { randomBytes } from 'node:crypto';

const LEAST = 2 ** 39;

/**
 * The amount by which a claim raises a fencing token: from 2^39 to 2^40 - 1. A worker thus cannot guess the
 * token of another claim, and a token stays an exact number (below 2^53) for 8,192 claims of one job.
 */
export function newFenceStep(): number {
  return LEAST + (randomBytes(5).readUIntBE(0, 5) % LEAST);
}
