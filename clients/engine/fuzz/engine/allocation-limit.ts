import { createBudget, type ExecutionLimit } from './execution-limit.ts';

/**
 * Bounds what one execution may ask for in buffers, at the moment it asks: what a header claims must not be
 * allocated before the bytes are there. Ordinary objects are bounded by the thread's heap limit. Changes `Buffer`
 * for the whole thread.
 */
export function installAllocationLimit(maxBytes: number): ExecutionLimit {
  const { alloc, allocUnsafe, allocUnsafeSlow, concat } = Buffer;
  const budget = createBudget('allocates bytes', maxBytes);

  Buffer.alloc = (size: number, ...fill: [fill?: string | Uint8Array | number]) => {
    budget.spend(size);
    return alloc(size, ...fill);
  };
  Buffer.allocUnsafe = (size) => {
    budget.spend(size);
    return allocUnsafe(size);
  };
  Buffer.allocUnsafeSlow = (size) => {
    budget.spend(size);
    return allocUnsafeSlow(size);
  };
  Buffer.concat = (parts, length) => {
    budget.spend(length ?? parts.reduce((sum, part) => sum + part.length, 0));
    return concat(parts, length);
  };
  return budget;
}
