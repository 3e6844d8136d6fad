import { LeaseLostError } from '../errors.ts';
import type { LeaseDependencies } from '../lease/lease.ts';
import { BeyondReservationError } from './reservation.ts';
import { reserveMinutes } from './reserve-minutes.ts';

/** Reserves first what `act` shows to be missing. Throws LeaseLostError if it is not to be had. */
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
    if (!(await reserveMinutes(dependencies, jobId, fence, error.neededMs))) {
      throw new LeaseLostError(jobId, fence, false);
    }
    await act();
  }
}
