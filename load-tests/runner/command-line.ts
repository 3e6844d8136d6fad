import { join, resolve } from 'node:path';
import type { Env } from '@audiosplit/chassis/process/env';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { argument, decimal, text, type Values, whole } from '../../deploy/provision/options.ts';
import { findProfile, PROFILES } from '../profiles/catalog.ts';
import type { CallerName } from '../profiles/journeys.ts';
import { FLOOD_TIMES, noisyNeighbour } from '../profiles/noisy-neighbour.ts';
import type { Profile } from '../profiles/profile.ts';

export type LoadRun = ReturnType<typeof loadRun>;

export type TargetArguments =
  | { readonly kind: 'own'; readonly gateways: number; readonly splitters: number }
  | {
      readonly kind: 'given';
      readonly baseUrl: string;
      readonly sourceUrl: string;
      readonly apiKeys: Readonly<Partial<Record<CallerName, string>>>;
    };

export const RESULTS_FOLDER = resolve(import.meta.dirname, '../../results/load');
/** An audio file that an installation serves itself. */
export const SAMPLE_PATH = '/samples/tour.mp3';
const KEY_VARIABLES = { caller: 'API_KEY', neighbour: 'NEIGHBOUR_API_KEY', slow: 'SLOW_API_KEY' } as const;

export const LOAD = {
  command: 'npm run load --',
  about: PROFILES.map(
    ({ name, purpose, defaultMinutes }) => `  ${name.padEnd(16)}${purpose} (${defaultMinutes} min)`,
  ).join('\n'),
  options: {
    profile: argument('PROFILE', 'one of these'),
    minutes: decimal(
      { least: 0.25, most: 24 * 60 },
      undefined,
      'how long; for limiter the number of full windows, for noisy-neighbour that of minutes compared',
    ),
    scale: decimal({ least: 0.1, most: 1_000 }, 1, 'multiplies the rates, but not those of limiter'),
    flood: decimal(
      { least: 1, most: 100 },
      undefined,
      `noisy-neighbour: how many times its limit the other account requests (${FLOOD_TIMES})`,
    ),
    gateways: whole({ least: 1, most: 16 }, 2, 'gateways of the installation that is started for the run'),
    splitters: whole({ least: 1, most: 64 }, 2, 'its splitters'),
    'base-url': text(
      'URL',
      `a running installation instead, without its internal services; needs a key in ${KEY_VARIABLES.caller}, for noisy-neighbour those of other accounts in ${KEY_VARIABLES.neighbour} and ${KEY_VARIABLES.slow}`,
    ),
    'stub-host': text(
      'ADDRESS',
      'noisy-neighbour: this machine, as a given installation reaches it and may fetch from it (127.0.0.1)',
    ),
    'source-url': text('URL', `audio that a given installation may fetch (its own ${SAMPLE_PATH})`),
    report: text('FILE', 'writes FILE.md, FILE.html and FILE.json (results/load/<profile>-<time>)'),
  },
};

/** Throws StartError. */
export function loadRun(values: Values<typeof LOAD.options>, env: Env) {
  const profile = findProfile(values.profile ?? '');
  if (profile === undefined) {
    const names = PROFILES.map(({ name }) => name).join(', ');
    throw new StartError(`give one profile: ${names}; see ${LOAD.command} --help`);
  }
  const { minutes = profile.defaultMinutes, scale, flood, gateways, splitters, report } = values;
  if (profile.startsAtSecond !== undefined && !Number.isInteger(minutes)) {
    throw new StartError(`--minutes is ${minutes}; ${profile.name} takes whole minutes`);
  }
  if (flood !== undefined && profile !== noisyNeighbour) {
    throw new StartError(`--flood is for ${noisyNeighbour.name}, not for ${profile.name}`);
  }
  const baseUrl = values['base-url'];
  const target: TargetArguments =
    baseUrl === undefined
      ? { kind: 'own', gateways, splitters }
      : givenTarget(profile, baseUrl, values['source-url'], env);
  return {
    profile,
    minutes,
    scale,
    target,
    floodTimes: flood ?? FLOOD_TIMES,
    stubHost: values['stub-host'],
    // Without an extension; undefined: a new name in the folder of results.
    report: report === undefined ? undefined : resolve(report.replace(/\.(md|html|json)$/, '')),
  };
}

/** A new path for each run. */
export function defaultReport(profile: string, startedAt: Date): string {
  const stamp = startedAt.toISOString().slice(0, 19).replaceAll(':', '-');
  return join(RESULTS_FOLDER, `${profile}-${stamp}`);
}

function givenTarget(
  profile: Profile,
  baseUrl: string,
  sourceUrl: string | undefined,
  env: Env,
): TargetArguments {
  const url = URL.parse(baseUrl);
  if (url === null || !/^https?:$/.test(url.protocol) || url.pathname !== '/') {
    throw new StartError(`--base-url is ${JSON.stringify(baseUrl)}; allowed: scheme, host and port`);
  }
  const apiKeys = (Object.keys(profile.callers) as CallerName[]).map((caller) => {
    const key = env[KEY_VARIABLES[caller]];
    if (!key) throw new StartError(`${profile.name} needs a key in ${KEY_VARIABLES[caller]}`);
    return [caller, key] as const;
  });
  return {
    kind: 'given',
    baseUrl: url.origin,
    sourceUrl: sourceUrl ?? `${url.origin}${SAMPLE_PATH}`,
    apiKeys: Object.fromEntries(apiKeys),
  };
}
