import { median } from '@audiosplit/chassis/testing/latency';
import { newApiKeySecret, sha256Hex } from '../src/testing/credentials.ts';
import { type ChildServer, startChildServer } from './child-server.ts';
import { load, type RequestShape } from './load.ts';
import type { ModuleShare } from './profile.ts';
import type { Bench, Row } from './report.ts';

const GOALS: Readonly<Record<string, number>> = { read: 0.3, create: 0.2, refused: 0.8 };
const HELLO: RequestShape = { method: 'GET', path: '/', expectedStatus: 200 };
const PROFILED = 'read';

interface Measured {
  readonly cpuMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

interface GatewayResults {
  readonly rows: readonly Row[];
  /** Profile of a gateway that reads jobs. */
  readonly profile: readonly ModuleShare[];
}

/**
 * The gateway with services that answer at once. "Per core" is requests per second of CPU time of the gateway's
 * process, user and system together, which other load on the machine hardly changes.
 */
export async function measureGateway({
  requests,
  rounds,
  redisUrl,
  progress,
}: Bench): Promise<GatewayResults> {
  const exhausted = newApiKeySecret();
  await using hello = await startChildServer('hello', 'measured');
  await using services = await startChildServer('services', 'other', {
    exhaustedKeySha256: sha256Hex(exhausted),
  });
  await using gateway = await startChildServer('gateway', 'measured', {
    servicesUrl: services.url,
    redisUrl,
  });
  const shapes = shapesOf(newApiKeySecret(), exhausted);

  progress('warming up');
  await load(hello.url, HELLO, requests);
  for (const shape of Object.values(shapes)) await load(gateway.url, shape, requests);

  const helloRuns: Measured[] = [];
  const runs = new Map<string, Measured[]>();
  for (let round = 1; round <= rounds; round++) {
    progress(`gateway, round ${round} of ${rounds}`);
    helloRuns.push(await measure(hello, HELLO, requests));
    for (const [name, shape] of Object.entries(shapes)) {
      runs.set(name, [...(runs.get(name) ?? []), await measure(gateway, shape, requests)]);
    }
  }
  const profile = await gateway.profile(() => load(gateway.url, shapes[PROFILED], requests));
  const rows = [
    rowOf('hello of the framework', helloRuns, undefined, helloRuns),
    ...Array.from(runs, ([name, measured]) => rowOf(`gateway: ${name}`, measured, GOALS[name], helloRuns)),
  ];
  return { rows, profile };
}

function shapesOf(apiKey: string, exhaustedKey: string) {
  const headers = { 'x-api-key': apiKey };
  const splitRequest = {
    sourceUrl: 'https://example.com/recordings/2027/episode-0012.mp3',
    splitMode: 'duration',
    segmentDuration: 300,
    outputFormat: 'mp3',
    metadata: { title: 'An episode', number: 12 },
  };
  return {
    create: {
      method: 'POST',
      path: '/api/v1/splits',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(splitRequest),
      expectedStatus: 201,
    },
    list: { method: 'GET', path: '/api/v1/splits', headers, expectedStatus: 200 },
    read: { method: 'GET', path: `/api/v1/splits/job_${'0'.repeat(20)}`, headers, expectedStatus: 200 },
    refused: {
      method: 'GET',
      path: '/api/v1/splits',
      headers: { 'x-api-key': exhaustedKey },
      expectedStatus: 429,
      // The first request of each minute passes, and a run takes less than two minutes.
      maxOtherAnswers: 2,
    },
  } satisfies Record<string, RequestShape>;
}

async function measure(server: ChildServer, shape: RequestShape, requests: number): Promise<Measured> {
  const beforeMs = await server.cpuMs();
  const { p50Ms, p99Ms } = await load(server.url, shape, requests);
  return { cpuMs: ((await server.cpuMs()) - beforeMs) / requests, p50Ms, p99Ms };
}

function rowOf(
  measure: string,
  runs: readonly Measured[],
  goal: number | undefined,
  helloRuns: readonly Measured[],
): Row {
  const cpuMs = median(runs.map((run) => run.cpuMs));
  // Compared within a round, because machines drift.
  const ratio = median(runs.map((run, round) => (helloRuns[round]?.cpuMs ?? Number.NaN) / run.cpuMs));
  const latency = `p50 ${median(runs.map((run) => run.p50Ms)).toFixed(1)} ms, p99 ${median(runs.map((run) => run.p99Ms)).toFixed(1)} ms`;
  return {
    measure,
    figure: `${Math.round(1_000 / cpuMs)}/s per core, ${latency}`,
    ratio: ratio.toFixed(2),
    goal: goal === undefined ? '' : `≥ ${goal.toFixed(2)}`,
    isMet: goal === undefined ? undefined : ratio >= goal,
  };
}
