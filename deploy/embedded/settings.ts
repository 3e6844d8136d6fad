/** The environment variables of every process. docs/configuration.md is generated from them. */
import { SETTINGS as ACCOUNT } from '@audiosplit/account/config';
import { SETTINGS as AUTH } from '@audiosplit/auth/config';
import { SETTINGS as BILLING } from '@audiosplit/billing/config';
import { PROCESS_SETTINGS, SERVICE_SETTINGS } from '@audiosplit/chassis/process/process-config';
import type { Settings } from '@audiosplit/chassis/process/settings';
import { SETTINGS as GATEWAY } from '@audiosplit/gateway/config';
import { SETTINGS as OPERATORS } from '@audiosplit/gateway/operators/config';
import { SETTINGS as JOBS } from '@audiosplit/jobs/config';
import { SETTINGS as SPLITTER } from '@audiosplit/splitter/config';
import { SETTINGS as WEBHOOKS } from '@audiosplit/webhooks/config';

/** Settings that a process reads in addition to those of every process and of every service. */
export const OWN_SETTINGS_OF = {
  gateway: GATEWAY,
  auth: AUTH,
  account: ACCOUNT,
  billing: BILLING,
  jobs: JOBS,
  splitter: SPLITTER,
  webhooks: WEBHOOKS,
  operators: OPERATORS,
} as const satisfies Record<string, Settings>;

/** Of all processes. */
export const SETTINGS: Settings = Object.assign(
  { ...PROCESS_SETTINGS, ...SERVICE_SETTINGS },
  ...Object.values(OWN_SETTINGS_OF),
);

type SettingName =
  | keyof typeof PROCESS_SETTINGS
  | keyof typeof SERVICE_SETTINGS
  | NameIn<typeof OWN_SETTINGS_OF>;
type NameIn<T> = { [P in keyof T]: keyof T[P] }[keyof T];

/** An environment in which every variable is a setting of some process. */
export type ProcessEnv = { readonly [N in SettingName]?: string | undefined };

export function settingsOf(process: string): Settings {
  if (process === 'operators') return OPERATORS;
  const ofServices = process === 'gateway' ? {} : SERVICE_SETTINGS;
  const own = OWN_SETTINGS_OF[process as keyof typeof OWN_SETTINGS_OF];
  return { ...PROCESS_SETTINGS, ...ofServices, ...own };
}
