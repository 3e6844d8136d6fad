import type { Cut } from './cut.ts';
import type { EditedPlan } from './edited-plan.ts';
import type { Plan } from './plan.ts';

/** The service takes so many ranges. */
export const MAX_RANGES = 1_000;

/** A plan that follows from the request, to be edited; undefined where there is nothing to take hold of. */
export function editablePlan({ pieces }: Plan): EditedPlan | undefined {
  if (pieces.length < 2 || pieces.length > MAX_RANGES) return undefined;
  return pieces.map(({ fileStart, end, title }) => ({ start: fileStart, end, title }));
}

/** Whether the cuts, or where exactly they lie, are found when the job runs. */
export function isFoundInSound({ splitMode, chapters, snapToSilence, dryRun }: Cut): boolean {
  if (dryRun === true) return false;
  return (
    splitMode === 'silence' ||
    (splitMode === 'chapters' && chapters === undefined) ||
    snapToSilence !== undefined
  );
}
