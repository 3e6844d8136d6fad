import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '@audiosplit/chassis/errors';
import type { Env } from '@audiosplit/chassis/process/env';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { findProfile, PROFILES } from '../profiles/catalog.ts';
import { FLOOD_TIMES, noisyNeighbour } from '../profiles/noisy-neighbour.ts';
import type { CallerName, Profile } from '../profiles/profile.ts';

export type LoadArguments = LoadRun | { readonly help: true };

export interface LoadRun {
  readonly help: false;
  readonly profile: Profile;
  readonly minutes: number;
  readonly scale: number;
  readonly floodTimes: number;
  readonly target: TargetArguments;
  /** Without `.md`, `.html` and `.json`; undefined: a new name in the folder of results. */
  readonly report: string | undefined;
}

export type TargetArguments =
  | { readonly kind: 'own'; readonly gateways: number; readonly splitters: number }
  | {
      readonly kind: 'given';
      readonly baseUrl: string;
      readonly sourceUrl: string;
      readonly apiKeys: Readonly<Partial<Record<CallerName, string>>>;
    };

export const RESULTS_FOLDER = resolve(import.meta.dirname, '../../results/load');
const USAGE = 'see npm run load -- --help';

export function loadHelp(): string {
  const profiles = PROFILES.map(
    ({ name, purpose, defaultMinutes }) => `  ${name.padEnd(16)}${purpose} (${defaultMinutes} min)`,
  );
  return `Usage: npm run load -- PROFILE [options]

${profiles.join('\n')}

  --minutes N       how long; for limiter the number of full windows, for noisy-neighbour that of minutes compared
  --scale N         multiplies the rates (1); not those of limiter
  --flood N         noisy-neighbour: how many times its limit the other account asks for (${FLOOD_TIMES})
  --gateways N      of the installation that is started for the run (2)
  --splitters N     likewise (2)
  --base-url URL    a running installation instead. API_KEY is the key to use; noisy-neighbour takes another account's
                    from NEIGHBOUR_API_KEY. Internal services are left out
  --source-url URL  audio that a given installation may fetch (its own /samples/tour.mp3)
  --report FILE     writes FILE.md, FILE.html and FILE.json (results/load/<profile>-<time>)

k6 is built once, with Go, into ~/.cache/audiosplit.
`;
}

/** Throws StartError. */
export function parseLoad(args: readonly string[], env: Env): LoadArguments {
  const { values, positionals } = parse(args);
  if (values.help) return { help: true };
  const [name = ''] = positionals;
  const profile = findProfile(name);
  if (profile === undefined || positionals.length > 1) {
    const names = PROFILES.map((each) => each.name).join(', ');
    throw new StartError(`give one profile: ${names}; ${USAGE}`);
  }
  const minutes = decimal('--minutes', values.minutes ?? String(profile.defaultMinutes), 0.25, 24 * 60);
  if (profile.startsAtSecond !== undefined && !Number.isInteger(minutes)) {
    throw new StartError(`--minutes is ${minutes}; ${profile.name} takes whole minutes`);
  }
  if (values.flood !== undefined && profile !== noisyNeighbour) {
    throw new StartError(`--flood is for ${noisyNeighbour.name}, not for ${profile.name}; ${USAGE}`);
  }
  return {
    help: false,
    profile,
    minutes,
    scale: decimal('--scale', values.scale, 0.1, 1_000),
    floodTimes: decimal('--flood', values.flood ?? String(FLOOD_TIMES), 1, 100),
    target:
      values['base-url'] === undefined
        ? {
            kind: 'own',
            gateways: whole('--gateways', values.gateways, 16),
            splitters: whole('--splitters', values.splitters, 64),
          }
        : givenTarget(profile, values['base-url'], values['source-url'], env),
    report: values.report === undefined ? undefined : resolve(values.report.replace(/\.(md|html|json)$/, '')),
  };
}

/** A new one for each run. */
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
  const variables = { caller: 'API_KEY', neighbour: 'NEIGHBOUR_API_KEY' } as const;
  const wanted = Object.keys(profile.callers) as CallerName[];
  const missing = wanted.find((caller) => !env[variables[caller]]);
  if (missing !== undefined) throw new StartError(`${profile.name} needs a key in ${variables[missing]}`);
  return {
    kind: 'given',
    baseUrl: url.origin,
    sourceUrl: sourceUrl ?? `${url.origin}/samples/tour.mp3`,
    apiKeys: Object.fromEntries(wanted.map((caller) => [caller, env[variables[caller]] ?? ''])),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        minutes: { type: 'string' },
        scale: { type: 'string', default: '1' },
        flood: { type: 'string' },
        gateways: { type: 'string', default: '2' },
        splitters: { type: 'string', default: '2' },
        'base-url': { type: 'string' },
        'source-url': { type: 'string' },
        report: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new StartError(`${messageOf(error).split('. ')[0]}; ${USAGE}`);
  }
}

function decimal(option: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= least && value <= most) return value;
  throw new StartError(`${option} is ${JSON.stringify(text)}; allowed: ${least} to ${most}`);
}

function whole(option: string, text: string, most: number): number {
  const value = decimal(option, text, 1, most);
  if (Number.isInteger(value)) return value;
  throw new StartError(`${option} is ${JSON.stringify(text)}; allowed: whole numbers`);
}
