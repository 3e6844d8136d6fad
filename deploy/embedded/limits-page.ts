/** Generates docs/limits.md from the routes of the gateway and the settings that limit callers. */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Setting } from '@audiosplit/chassis/process/settings';
import { type BoundedRoute, ROUTE_BOUNDS } from '@audiosplit/gateway/bounds/route-bounds';
import { readBoundedRoutes } from '@audiosplit/gateway/testing/bounded-routes';
import { DEFAULT_SOURCE_LIMITS } from '@audiosplit/splitter/source/source-limits';
import { samplesPlugin } from './samples.ts';
import { OWN_SETTINGS_OF } from './settings.ts';

export const LIMITS_PAGE = fileURLToPath(new URL('../../docs/limits.md', import.meta.url));

const INTRODUCTION = `# What callers may use

Written by \`npm run generate -- limits\` from the routes of the gateway and the settings of every process. A test compares this
page with them. What a plan allows is in the [guide](guide/limits.md), queues between processes are in
[degradation](degradation.md#bounds), and [decision 51](decisions/0051-limits-before-identification.md) says how callers are
bounded before they are identified.

An address is an IPv4 address or an IPv6 /64; behind \`TRUST_PROXY\` the client's. 429 and 503 carry \`Retry-After\`, and whatever is
counted carries the three headers \`X-RateLimit-*\`.

## Bounds

| setting | default | what it bounds | beyond it | how full it is |
|---|---|---|---|---|
`;

const seconds = (ms: number) => `${ms / 1_000} s`;

/** The limits of sources without a setting. */
const SOURCE_LIMITS: readonly (readonly [string, string | number])[] = [
  ['redirects', DEFAULT_SOURCE_LIMITS.maxRedirects],
  ['from the request to the first byte', seconds(DEFAULT_SOURCE_LIMITS.firstByteTimeoutMs)],
  [
    'to connect, at each redirect anew, within the time to the first byte',
    seconds(DEFAULT_SOURCE_LIMITS.connectTimeoutMs),
  ],
  ['without a byte', seconds(DEFAULT_SOURCE_LIMITS.idleTimeoutMs)],
  [
    `bytes a second, over any ${seconds(DEFAULT_SOURCE_LIMITS.speedWindowMs)}, at least`,
    DEFAULT_SOURCE_LIMITS.minBytesPerSecond.toLocaleString('en'),
  ],
  ['resumptions after a transfer has broken off', DEFAULT_SOURCE_LIMITS.maxResumes],
  ['connections of one account to one host (name and port)', DEFAULT_SOURCE_LIMITS.maxConnectionsPerHost],
];

interface BoundRow extends Setting<unknown> {
  readonly name: string;
}

/** The settings that limit something, in the order of the processes. */
export function boundSettings(): readonly BoundRow[] {
  return Object.values(OWN_SETTINGS_OF).flatMap((settings) =>
    Object.entries<Setting<unknown>>(settings)
      .filter(([, { bound }]) => bound !== undefined)
      .map(([name, setting]) => ({ name, ...setting })),
  );
}

export async function renderLimitsPage(): Promise<string> {
  const bounds = boundSettings().map(({ name, what, bound, shownDefault, default: value }) => {
    const shown = shownDefault ?? Number(value).toLocaleString('en');
    return `| \`${name}\` | ${shown} | ${what} | ${bound?.beyond} | ${bound?.metric} |`;
  });
  const kinds = Object.entries(ROUTE_BOUNDS).map(([name, text]) => `| ${name} | ${text} |`);
  const routes = await readBoundedRoutes([samplesPlugin]);
  return [
    INTRODUCTION + bounds.join('\n'),
    '',
    '## Sources',
    '',
    'These have no setting. Beyond the last one a fetch waits; beyond the others the job fails with `SOURCE_TIMEOUT` or',
    '`SOURCE_UNREACHABLE`, counted in `audiosplit_job_failures_total`.',
    '',
    '| of a source | limit |',
    '|---|---|',
    ...SOURCE_LIMITS.map(([what, limit]) => `| ${what} | ${limit} |`),
    '',
    '## Routes',
    '',
    'Each route declares its bounds; a route without any cannot be added. The files of the pages have the bounds of the pages.',
    '',
    '| bound | |',
    '|---|---|',
    ...kinds,
    '',
    '| route | bounds |',
    '|---|---|',
    ...routes.map(rowOf),
    '',
  ].join('\n');
}

function rowOf({ method, path, bounds }: BoundedRoute): string {
  return `| \`${method} ${path}\` | ${bounds.join(', ')} |`;
}

// `npm run generate -- limits`
if (import.meta.main) await writeFile(LIMITS_PAGE, await renderLimitsPage());
