import { ENGINE_FAULTS } from './engine-faults.ts';
import { ENVIRONMENT_FAULTS } from './environment-faults.ts';
import type { Fault } from './fault.ts';
import { PROCESS_FAULTS } from './process-faults.ts';

/** Every way in which a run can break something, in the order of the report. */
export const FAULTS: readonly Fault[] = [...PROCESS_FAULTS, ...ENGINE_FAULTS, ...ENVIRONMENT_FAULTS];
