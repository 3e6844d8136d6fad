/** Every sentence that binds, of the interface first, then of the decisions that fill what it leaves open. */
import * as accounts from './decisions-accounts.ts';
import * as jobs from './decisions-jobs.ts';
import * as endpoints from './interface-endpoints.ts';
import * as resources from './interface-resources.ts';
import type { Section } from './promise.ts';

export const SECTIONS: readonly Section[] = [
  resources.PURPOSE,
  resources.RESOURCES,
  resources.STATES,
  endpoints.ENDPOINTS,
  endpoints.AUTHENTICATION,
  endpoints.EVENTS,
  endpoints.ERRORS,
  endpoints.LIMITS,
  jobs.IDENTITY,
  jobs.JOBS,
  jobs.RATES_AND_PLANS,
  jobs.WEBHOOKS,
  accounts.BILLING,
  accounts.ACCOUNT,
  accounts.REFUSALS,
  accounts.SETTLED,
];
