import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { SplitterService } from '@audiosplit/proto/splitter/v1/splitter';
import { systemClock } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import { silentLogger } from '../process/log.ts';
import { createCaller } from '../rpc/client.ts';
import { serveInProcess } from '../rpc/server.ts';
import { testKeysOf } from '../testing/identities.ts';
import { createPrometheus } from './prometheus.ts';
import { SERVICE_METRICS } from './shared-metrics.ts';

test('calls are counted on both sides by the code of their response', async () => {
  using prometheus = createPrometheus({
    processes: ['jobs', 'splitter'],
    metrics: SERVICE_METRICS,
    log: silentLogger(),
  });
  let failure: Error | undefined;
  const address = serveInProcess({
    routes: (router) =>
      router.service(SplitterService, {
        inspectSource() {
          if (failure !== undefined) throw failure;
          return {};
        },
      }),
    keys: testKeysOf('splitter'),
    log: silentLogger(),
    clock: systemClock,
  });
  const caller = createCaller({ keys: testKeysOf('jobs'), clock: systemClock });
  const splitter = caller.client(SplitterService, address);
  await splitter.inspectSource({});
  failure = new ServiceError(Reason.INVALID_PARAMS, 'This is no address.');
  await assert.rejects(splitter.inspectSource({}));
  failure = new Error('a fault of ours');
  await assert.rejects(splitter.inspectSource({}));
  await assert.rejects(splitter.inspectSource({}));

  const page = await prometheus.scrape();
  for (const side of ['server', 'client']) {
    for (const [code, times] of Object.entries({ ok: 1, invalid_argument: 1, internal: 2 })) {
      const labels = `rpc_service="${SplitterService.typeName}",rpc_method="InspectSource",rpc_code="${code}"`;
      const series = `audiosplit_rpc_${side}_duration_seconds_count{${labels}} ${times}\n`;
      assert.ok(page.includes(series), series);
    }
  }
});
