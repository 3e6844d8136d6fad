import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** On Unix, from 0, the service's own, to 19. */
export const ENGINE_NICENESS = 5;

/**
 * Lowers the priority of the calling thread, so that splits slow neither requests nor leases. On Linux every thread has
 * one of its own; elsewhere this has no effect.
 */
export function lowerThreadPriority(): void {
  try {
    const [, id] = /\/task\/(\d+)$/.exec(readlinkSync('/proc/thread-self')) ?? [];
    if (id !== undefined && getPriority(Number(id)) < ENGINE_NICENESS)
      setPriority(Number(id), ENGINE_NICENESS);
  } catch {
    // There is no /proc here.
  }
}
