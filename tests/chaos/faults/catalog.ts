import { ENGINE_FAULTS } from './engine-faults.ts';
import { ENVIRONMENT_FAULTS } from './environment-faults.ts';
import type { Fault } from './fault.ts';
import { MIDWAY_FAULTS } from './midway-faults.ts';
import { PROCESS_FAULTS } from './process-faults.ts';

/** All faults of a run, in the order of the report. */
export const FAULTS: readonly Fault[] = [
  ...PROCESS_FAULTS,
  ...MIDWAY_FAULTS,
  ...ENGINE_FAULTS,
  ...ENVIRONMENT_FAULTS,
];
