/**
 * One internal call: CPU time of the caller's process (this one) and of the service's, over the lean transport and the
 * stock ones, sequentially and concurrently. HTTP/2 batches concurrent calls, HTTP/1.1 writes each by itself. Our side
 * includes the interceptors of identity, trace, deadline and bounds; the stock side has none. The bare exchange of
 * Node's server and undici is the lower bound for HTTP/1.1.
 */

import { systemClock } from '@audiosplit/chassis/clock';
import { actingFor } from '@audiosplit/chassis/identity/authorization';
import { createSigner } from '@audiosplit/chassis/identity/tokens';
import { createCaller, remoteAddress } from '@audiosplit/chassis/rpc/client';
import { testKeysOf } from '@audiosplit/chassis/testing/identities';
import { median } from '@audiosplit/chassis/testing/latency';
import { JobsService } from '@audiosplit/proto/jobs/v1/jobs';
import { type Client, createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node';
import { Pool } from 'undici';
import { type ChildServer, startChildServer } from './child-server.ts';
import { measureIdentity } from './identity-rows.ts';
import type { Bench, Row } from './report.ts';

const CALLERS = [1, 16];
const GOAL = 6;
const JOB_ID = `job_${'0'.repeat(20)}`;
const LEAN = 'lean transport';
const STOCK = 'connect-node, Connect';

interface Transport {
  readonly name: string;
  readonly server: ChildServer;
  readonly call: () => Promise<unknown>;
}

interface Hop {
  readonly callerUs: number;
  readonly serviceUs: number;
}

export async function measureHop(bench: Bench): Promise<readonly Row[]> {
  await using running = new AsyncDisposableStack();
  const start = async (kind: string) => running.use(await startChildServer(kind, 'measured'));
  const lean = await start('services');
  const stock = await start('stock services');
  const bare = await start('bare http');
  const caller = createCaller({ keys: testKeysOf('gateway'), clock: systemClock });
  const account = { accountId: 'acc_benchmark', scopes: ['splits:read'] };
  const getJob = (client: Client<typeof JobsService>) => () =>
    client.getJob({ jobId: JOB_ID }, actingFor(account));
  const token = await createSigner(testKeysOf('gateway'), systemClock)(JobsService.method.getJob, account);
  const baseUrl = stock.url;
  const pool = running.use(openBarePool(bare.url));
  const transports: readonly Transport[] = [
    { name: LEAN, server: lean, call: getJob(caller.client(JobsService, remoteAddress(lean.url))) },
    {
      name: STOCK,
      server: stock,
      call: getJob(createClient(JobsService, createConnectTransport({ baseUrl, httpVersion: '2' }))),
    },
    {
      name: 'connect-node, gRPC',
      server: stock,
      call: getJob(createClient(JobsService, createGrpcTransport({ baseUrl }))),
    },
    {
      name: 'bare exchange',
      server: bare,
      call: () => pool.exchange(['authorization', `Bearer ${token}`]),
    },
  ];
  const rows: Row[] = [];
  let oneAtATimeUs = Number.NaN;
  for (const callers of CALLERS) {
    const hops = await measureTransports(transports, callers, bench);
    rows.push(...rowsOf(hops, callers));
    if (callers === 1) oneAtATimeUs = median((hops.get(LEAN) ?? []).map(totalUs));
  }
  return [...rows, ...measureIdentity(oneAtATimeUs, bench)];
}

async function measureTransports(
  transports: readonly Transport[],
  callers: number,
  { requests, rounds, progress }: Bench,
): Promise<ReadonlyMap<string, readonly Hop[]>> {
  for (const { call } of transports) await callMany(call, callers, requests);
  const hops = new Map<string, Hop[]>();
  for (let round = 1; round <= rounds; round++) {
    progress(`internal calls, ${callers} at a time, round ${round} of ${rounds}`);
    for (const transport of transports) {
      hops.set(transport.name, [
        ...(hops.get(transport.name) ?? []),
        await measure(transport, callers, requests),
      ]);
    }
  }
  return hops;
}

function rowsOf(hops: ReadonlyMap<string, readonly Hop[]>, callers: number): readonly Row[] {
  const ours = hops.get(LEAN) ?? [];
  return Array.from(hops, ([name, measured]) => {
    const factor = median(measured.map((hop, round) => totalUs(hop) / totalUs(ours[round])));
    const hasGoal = name === STOCK;
    return {
      measure: `hop, ${callers} at a time: ${name}`,
      figure: `caller ${median(measured.map((hop) => hop.callerUs)).toFixed(0)} µs + service ${median(measured.map((hop) => hop.serviceUs)).toFixed(0)} µs`,
      ratio: `${factor.toFixed(1)}x`,
      goal: hasGoal ? `≥ ${GOAL}x` : '',
      isMet: hasGoal ? factor >= GOAL : undefined,
    };
  });
}

async function measure({ server, call }: Transport, callers: number, calls: number): Promise<Hop> {
  const serviceBeforeMs = await server.cpuMs();
  const before = process.cpuUsage();
  await callMany(call, callers, calls);
  const { user, system } = process.cpuUsage(before);
  const serviceMs = (await server.cpuMs()) - serviceBeforeMs;
  return { callerUs: (user + system) / calls, serviceUs: (serviceMs * 1_000) / calls };
}

async function callMany(call: Transport['call'], callers: number, calls: number): Promise<void> {
  let left = calls;
  const callOneByOne = async () => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: callers }, callOneByOne));
}

/** Requests and responses of about the length of a real call's. */
function openBarePool(url: string) {
  const pool = new Pool(url, { pipelining: 1 });
  const body = Buffer.from(JOB_ID);
  return {
    exchange: (headers: string[]) =>
      new Promise((resolve, reject) => {
        pool.dispatch(
          { method: 'POST', path: '/', headers, body },
          {
            onRequestStart() {},
            onResponseStart() {},
            onResponseData() {},
            onResponseEnd: resolve,
            onResponseError: (_controller, error) => reject(error),
          },
        );
      }),
    [Symbol.asyncDispose]: () => pool.close(),
  };
}

function totalUs(hop: Hop | undefined): number {
  return hop === undefined ? Number.NaN : hop.callerUs + hop.serviceUs;
}
