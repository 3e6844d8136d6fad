import { LeaseLostError } from '../errors.ts';
import type { LeaseDependencies } from '../lease/lease.ts';
import { BeyondReservationError } from './reservation.ts';
import { reserveMinutes } from './reserve-minutes.ts';

/**
 * If `act` needs a larger reservation, reserves it and repeats `act`. Throws LeaseLostError if the minutes
 * are not available.
 */
export async function withinReservation(
  dependencies: LeaseDependencies,
  jobId: string,
  fence: number,
  act: () => Promise<void>,
): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof BeyondReservationError)) throw error;
    if (!(await reserveMinutes(dependencies, { jobId, fence }, error.neededMs))) {
      throw new LeaseLostError(jobId, fence, false);
    }
    await act();
  }
}
