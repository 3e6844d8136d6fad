/**
 * A splitter on a host that lacks what the sandbox requires: it starts as the process does, and its last line
 * is its resulting state, as StartedSplitter.
 *
 *   weak-host.fixture.ts FOLDER DECODER_SANDBOX ERRNO SYSTEM-CALL...
 */
import { join } from 'node:path';
import { systemClock } from '@audiosplit/chassis/clock';
import { openFileObjectStore } from '@audiosplit/chassis/object-store/files';
import { createPrometheus } from '@audiosplit/chassis/observability/prometheus';
import { runProcess } from '@audiosplit/chassis/process/lifecycle';
import { createLogger } from '@audiosplit/chassis/process/log';
import { createCaller } from '@audiosplit/chassis/rpc/client';
import { READINESS } from '@audiosplit/chassis/rpc/health';
import { serveInProcess } from '@audiosplit/chassis/rpc/server';
import { testKeysOf } from '@audiosplit/chassis/testing/identities';
import { createTestContext } from '@audiosplit/chassis/testing/service-context';
import { refuseSystemCalls } from '@audiosplit/engine/testing/refuse-system-calls';
import { Health, HealthCheckResponse_ServingStatus } from '@audiosplit/proto/grpc/health/v1/health';
import { readSplitterConfig } from '../../src/config.ts';
import { METRICS } from '../../src/metrics.ts';
import { startSplitter } from '../../src/service.ts';
import { createHandDeliveredBus } from '../../src/work/worker.fixture.ts';

export interface StartedSplitter {
  readonly log: readonly {
    readonly level: number;
    readonly msg: string;
    readonly [field: string]: unknown;
  }[];
  /** The gauge's lines. */
  readonly sandboxes: readonly string[];
  readonly health: Readonly<Record<string, string>>;
}

const HOUR_MS = 3_600_000;

const [folder = '', mode, errno, ...calls] = process.argv.slice(2);
refuseSystemCalls(calls.map(Number), Number(errno));

await runProcess({
  name: 'audiosplit-splitter',
  stopTimeoutMs: () => 60_000,
  async start() {
    const log: StartedSplitter['log'][number][] = [];
    const context = {
      ...createTestContext({
        process: 'splitter',
        databaseUrl: '',
        bus: createHandDeliveredBus(),
        clock: systemClock,
        openStore: () => openFileObjectStore({ directory: join(folder, 'objects') }),
        addressOf: () => address,
      }),
      log: createLogger('splitter', 'info', { write: (line) => void log.push(JSON.parse(line)) }),
    };
    // No job is offered: the jobs service is never called.
    const address = serveInProcess({ ...context, routes: () => {} });
    const config = readSplitterConfig({ DECODER_SANDBOX: mode, SCRATCH_DIR: join(folder, 'scratch') });
    const service = await startSplitter(config, context, { lookForOffersEveryMs: HOUR_MS });

    using prometheus = createPrometheus({ processes: ['splitter'], metrics: METRICS, log: context.log });
    const page = await prometheus.scrape();
    const health = createCaller({ ...context, keys: testKeysOf('operator') }).client(
      Health,
      serveInProcess({ ...context, routes: service.health.routes }),
    );
    const statusOf = async (name: string) =>
      HealthCheckResponse_ServingStatus[(await health.check({ service: name })).status];
    const shown: StartedSplitter = {
      log,
      sandboxes: page.match(/^audiosplit_decoder_sandbox\{.*$/gm) ?? [],
      health: {
        'decoder-sandbox': await statusOf('decoder-sandbox'),
        [READINESS]: await statusOf(READINESS),
      },
    };
    process.stdout.write(`${JSON.stringify(shown)}\n`);
    process.kill(process.pid, 'SIGTERM');
    return service;
  },
});
