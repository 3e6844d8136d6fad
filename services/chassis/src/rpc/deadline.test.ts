import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SplitterService } from '@audiosplit/proto/splitter/v1/splitter';
import { Code, ConnectError, createRouterTransport } from '@connectrpc/connect';
import { systemClock } from '../clock.ts';
import { silentLogger } from '../process/log.ts';
import { testKeysOf } from '../testing/identities.ts';
import { withCallBounds } from './call-bounds.ts';
import { createCaller, DEFAULT_TIMEOUT_MS, remoteAddress } from './client.ts';
import { startDeadline, timeLeftMs, timeoutFromHeaders } from './deadline.ts';
import { type RpcOptions, serveInProcess, startRpcServer } from './server.ts';

const caller = createCaller({ keys: testKeysOf('jobs'), clock: systemClock });

function inspecting(inspectSource: () => Promise<object> | object): RpcOptions {
  return {
    routes: (router) => router.service(SplitterService, { inspectSource }),
    keys: testKeysOf('splitter'),
    log: silentLogger(),
    clock: systemClock,
  };
}

test('the remaining time is that of the earliest deadline, until its call is answered', async () => {
  assert.equal(timeLeftMs(), undefined);
  const outer = startDeadline(1_000);
  await outer.run(async () => {
    const inner = startDeadline(60_000);
    await inner.run(async () => {
      assert.ok((timeLeftMs() ?? Number.NaN) <= 1_000, 'a longer one of its own does not help');
      outer.end();
      const left = timeLeftMs() ?? Number.NaN;
      assert.ok(left > 1_000 && left <= 60_000);
      inner.end();
      assert.equal(timeLeftMs(), undefined, 'what goes on after the answer is not bounded');
    });
  });
});

test('deadlines are read in the formats of Connect and gRPC', () => {
  const read = (name: string, value: string) => timeoutFromHeaders(new Headers({ [name]: value }));
  assert.equal(read('connect-timeout-ms', '1500'), 1_500);
  assert.equal(read('connect-timeout-ms', 'soon'), undefined);
  assert.equal(read('grpc-timeout', '1500m'), 1_500);
  assert.equal(read('grpc-timeout', '2S'), 2_000);
  assert.equal(read('grpc-timeout', '1H'), 3_600_000);
  assert.equal(read('grpc-timeout', '500000u'), 500);
  assert.equal(timeoutFromHeaders(new Headers()), undefined);
});

for (const way of ['in process', 'over a socket'] as const) {
  test(`a deadline is passed on to nested calls, ${way}`, async () => {
    await using stack = new AsyncDisposableStack();
    const serve = async (options: RpcOptions) => {
      if (way === 'in process') return serveInProcess(options);
      const server = stack.use(await startRpcServer({ ...options, host: '127.0.0.1', port: 0 }));
      return remoteAddress(`http://127.0.0.1:${server.port}`);
    };
    const left: Record<string, number | undefined> = {};
    const last = await serve(
      inspecting(() => {
        left.last = timeLeftMs();
        return {};
      }),
    );
    const behind = caller.client(SplitterService, last);
    const first = await serve(
      inspecting(async () => {
        left.first = timeLeftMs();
        await behind.inspectSource({}, { timeoutMs: 4_000 });
        return {};
      }),
    );
    await caller.client(SplitterService, first).inspectSource({}, { timeoutMs: 2_000 });
    assert.ok((left.first ?? Number.NaN) <= 2_000);
    assert.ok((left.last ?? Number.NaN) <= (left.first ?? Number.NaN), 'less than its own 4 s');
    assert.equal(timeLeftMs(), undefined);
  });

  test(`a call that hangs is abandoned when the caller of its caller has stopped waiting, ${way}`, async () => {
    await using stack = new AsyncDisposableStack();
    const serve = async (options: RpcOptions) => {
      if (way === 'in process') return serveInProcess(options);
      const server = stack.use(await startRpcServer({ ...options, host: '127.0.0.1', port: 0 }));
      return remoteAddress(`http://127.0.0.1:${server.port}`);
    };
    const released = Promise.withResolvers<object>();
    const behind = caller.client(SplitterService, await serve(inspecting(() => released.promise)));
    const outcome = Promise.withResolvers<unknown>();
    const first = await serve(
      inspecting(async () => {
        await behind.inspectSource({}, { timeoutMs: 60_000 }).catch(outcome.resolve);
        return released.promise;
      }),
    );
    await assert.rejects(caller.client(SplitterService, first).inspectSource({}, { timeoutMs: 200 }));
    assert.equal(ConnectError.from(await outcome.promise).code, Code.DeadlineExceeded);
    released.resolve({});
  });
}

test('a call past its deadline is not sent', async () => {
  let asked = 0;
  const client = caller.client(
    SplitterService,
    serveInProcess(
      inspecting(() => {
        asked += 1;
        return {};
      }),
    ),
  );
  const late = startDeadline(1);
  await late.run(async () => {
    while ((timeLeftMs() ?? 0) > 0) await sleep(1);
    const refusal = await client.inspectSource({}).catch((error: unknown) => error);
    assert.equal(ConnectError.from(refusal).code, Code.DeadlineExceeded);
  });
  assert.equal(asked, 0);
});

test('calls above the limit are rejected at once, and others continue', async () => {
  const released = Promise.withResolvers<void>();
  let running = 0;
  const transport = createRouterTransport((router) =>
    router.service(SplitterService, {
      async inspectSource() {
        running += 1;
        await released.promise;
        return {};
      },
    }),
  );
  const method = SplitterService.method.inspectSource;
  const ask = (bounded: typeof transport) => bounded.unary(method, undefined, 10_000, undefined, {});
  for (const bounds of [{ maxCallsPerMethod: 3 }, { maxCalls: 3 }]) {
    running = 0;
    const bounded = withCallBounds(transport, { defaultTimeoutMs: DEFAULT_TIMEOUT_MS, ...bounds });
    const waiting = [ask(bounded), ask(bounded), ask(bounded)];
    const refusal = await ask(bounded).catch((error: unknown) => error);
    assert.equal(ConnectError.from(refusal).code, Code.Unavailable);
    released.resolve();
    await Promise.all(waiting);
    assert.equal(running, 3);
    await ask(bounded);
  }
});
