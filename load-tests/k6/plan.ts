import type { CallerName } from '../profiles/journeys.ts';
import type { LoadPlan, PlannedCaller } from '../profiles/plan.ts';

export const plan: LoadPlan = JSON.parse(__ENV.LOAD_PLAN ?? '{}');

/** The caller of the running scenario. */
export function currentCaller(): PlannedCaller {
  return callerNamed((__ENV.CALLER ?? 'caller') as CallerName);
}

export function callerNamed(name: CallerName): PlannedCaller {
  const caller = plan.callers[name];
  if (caller === undefined) throw new Error(`the plan has no caller named ${name}`);
  return caller;
}
