import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, test } from 'node:test';
import type { Process } from '@audiosplit/proto/callers';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { Health, HealthCheckResponse_ServingStatus as Status } from '@audiosplit/proto/grpc/health/v1/health';
import { SplitterService } from '@audiosplit/proto/splitter/v1/splitter';
import { Code, ConnectError } from '@connectrpc/connect';
import { systemClock } from '../clock.ts';
import { InvalidParamsError, ServiceError } from '../errors.ts';
import { createLogger, silentLogger } from '../process/log.ts';
import { testKeysOf } from '../testing/identities.ts';
import { currentTrace, newTrace, runInTrace } from '../trace.ts';
import { createCaller, type RpcAddress, remoteAddress } from './client.ts';
import { errorInfoOf } from './errors.ts';
import { ACCEPTING, createHealth, DEPENDENCIES, READINESS } from './health.ts';
import { type Routes, type RpcOptions, serveInProcess, startRpcServer } from './server.ts';

/** Both ways to reach a service behave alike; each test runs over both. */
const WAYS: Record<
  string,
  (
    options: RpcOptions,
    process?: Process,
  ) => Promise<{ client: ReturnType<typeof clientOf> } & AsyncDisposable>
> = {
  async 'in process'(options, process) {
    return { client: clientOf(serveInProcess(options), process), async [Symbol.asyncDispose]() {} };
  },
  async 'over a socket'(options, process) {
    const server = await startRpcServer({ ...options, host: '127.0.0.1', port: 0 });
    return {
      client: clientOf(remoteAddress(`http://127.0.0.1:${server.port}`), process),
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  },
};

function clientOf(address: RpcAddress, process: Process = 'jobs') {
  return createCaller({ keys: testKeysOf(process), clock: systemClock }).client(SplitterService, address);
}

const serving = (routes: Routes, log = silentLogger()): RpcOptions => ({
  routes,
  keys: testKeysOf('splitter'),
  log,
  clock: systemClock,
});

for (const [way, start] of Object.entries(WAYS)) {
  describe(`calls ${way}`, () => {
    const inspecting = (
      inspectSource: () => Promise<{ sizeBytes?: bigint }> | { sizeBytes?: bigint },
    ): Routes => {
      return (router) => router.service(SplitterService, { inspectSource });
    };

    test('a rejection arrives with its reason, text, fields and scopes', async () => {
      await using service = await start(
        serving(
          inspecting(() => {
            throw new ServiceError(Reason.QUEUE_FULL, 'Too many.', {
              retryAfterSeconds: 30,
              acceptedScopes: ['a'],
            });
          }),
        ),
      );
      const error = await service.client.inspectSource({ sourceUrl: 'x' }).catch((thrown: unknown) => thrown);
      const info = errorInfoOf(error);
      assert.equal(info.reason, Reason.QUEUE_FULL);
      assert.equal(info.publicMessage, 'Too many.');
      assert.equal(info.retryAfterSeconds, 30);
      assert.deepEqual(info.acceptedScopes, ['a']);
    });

    test('a field violation arrives', async () => {
      await using service = await start(
        serving(
          inspecting(() => {
            throw new InvalidParamsError('sourceUrl', 'is odd');
          }),
        ),
      );
      const info = errorInfoOf(await service.client.inspectSource({}).catch((thrown: unknown) => thrown));
      assert.deepEqual(
        info.violations.map(({ field, message }) => [field, message]),
        [['sourceUrl', 'is odd']],
      );
    });

    test('any other error stays internal: logged in full, and answered without details', async () => {
      const lines: string[] = [];
      const sink = new Writable({
        write(chunk, _encoding, done) {
          lines.push(String(chunk));
          done();
        },
      });
      await using service = await start(
        serving(
          inspecting(() => {
            throw new Error('the password is hunter2');
          }),
          createLogger('test', 'error', sink),
        ),
      );
      const error = ConnectError.from(
        await service.client.inspectSource({}).catch((thrown: unknown) => thrown),
      );
      assert.equal(error.code, Code.Internal);
      assert.ok(!JSON.stringify(error).includes('hunter2') && !error.message.includes('hunter2'));
      assert.equal(errorInfoOf(error).reason, Reason.INTERNAL_ERROR);
      assert.match(lines.join(''), /hunter2/);
    });

    test('a method that is not implemented returns unimplemented', async () => {
      await using service = await start(serving((router) => router.service(SplitterService, {})));
      const error = await service.client.inspectSource({}).catch((thrown: unknown) => thrown);
      assert.equal(errorInfoOf(error).reason, Reason.NOT_IMPLEMENTED);
    });

    test('the trace is passed on', async () => {
      const seen: unknown[] = [];
      await using service = await start(
        serving((router) =>
          router.service(SplitterService, {
            inspectSource() {
              seen.push(currentTrace()?.traceId, currentTrace()?.requestId);
              return {};
            },
          }),
        ),
      );
      const trace = newTrace('req_given');
      await runInTrace(trace, () => service.client.inspectSource({}));
      assert.deepEqual(seen, [trace.traceId, 'req_given']);
    });

    test('a process that may not call the method is rejected', async () => {
      await using service = await start(
        serving((router) => router.service(SplitterService, { inspectSource: () => ({}) })),
        'gateway',
      );
      const error = await service.client.inspectSource({}).catch((thrown: unknown) => thrown);
      assert.equal(errorInfoOf(error).reason, Reason.UNAUTHORIZED);
    });

    test('a call ends at its deadline', async () => {
      await using service = await start(
        serving(inspecting(() => new Promise((resolve) => setTimeout(() => resolve({}), 400)))),
      );
      const error = await service.client
        .inspectSource({}, { timeoutMs: 50 })
        .catch((thrown: unknown) => thrown);
      assert.equal(ConnectError.from(error).code, Code.DeadlineExceeded);
      assert.equal(errorInfoOf(error).reason, Reason.SERVICE_UNAVAILABLE);
    });
  });
}

test('a service that cannot be reached is reported as unavailable', async () => {
  const server = await startRpcServer({ ...serving(() => undefined), host: '127.0.0.1', port: 0 });
  await server[Symbol.asyncDispose]();
  const error = await clientOf(remoteAddress(`http://127.0.0.1:${server.port}`))
    .inspectSource({})
    .catch((thrown: unknown) => thrown);
  assert.equal(errorInfoOf(error).reason, Reason.SERVICE_UNAVAILABLE);
});

test('a port in use is reported in one clear line', async () => {
  await using server = await startRpcServer({ ...serving(() => undefined), host: '127.0.0.1', port: 0 });
  await assert.rejects(
    startRpcServer({ ...serving(() => undefined), host: '127.0.0.1', port: server.port }),
    /cannot listen on 127\.0\.0\.1:\d+ \(EADDRINUSE\)/,
  );
});

test('health names the problems, and a draining service is not ready', async () => {
  let broken = false;
  const health = createHealth([SplitterService], {
    async store() {
      if (broken) throw new Error('the store is away');
    },
  });
  assert.deepEqual(await health.problems(), {});
  broken = true;
  assert.deepEqual(await health.problems(), { store: 'the store is away' });
  broken = false;
  health.drain();
  assert.deepEqual(await health.problems(), { process: 'draining' });
});

test('a detail of the health has its own name, and readiness does not depend on it', async () => {
  let holds = false;
  const health = createHealth([SplitterService], {}, { 'decoder-sandbox': () => holds });
  const options = serving(health.routes);
  const client = createCaller({ ...options, keys: testKeysOf('operator') }).client(
    Health,
    serveInProcess(options),
  );
  const statusOf = async (service: string) => (await client.check({ service })).status;
  assert.equal(await statusOf('decoder-sandbox'), Status.NOT_SERVING);
  assert.equal(await statusOf(READINESS), Status.SERVING);
  holds = true;
  assert.equal(await statusOf('decoder-sandbox'), Status.SERVING);
});

test('a service accepts calls until it drains, even if a dependency fails, and draining is no failed dependency', async () => {
  let broken = true;
  const health = createHealth([SplitterService], {
    async store() {
      if (broken) throw new Error('the store is away');
    },
  });
  const options = serving(health.routes);
  const client = createCaller({ ...options, keys: testKeysOf('operator') }).client(
    Health,
    serveInProcess(options),
  );
  const statusOf = async (service: string) => (await client.check({ service })).status;
  assert.equal(await statusOf(ACCEPTING), Status.SERVING);
  assert.equal(await statusOf(READINESS), Status.NOT_SERVING);
  assert.equal(await statusOf(DEPENDENCIES), Status.NOT_SERVING);
  broken = false;
  health.drain();
  assert.equal(await statusOf(ACCEPTING), Status.NOT_SERVING);
  assert.equal(await statusOf(READINESS), Status.NOT_SERVING);
  assert.equal(await statusOf(DEPENDENCIES), Status.SERVING);
  assert.equal(await statusOf(''), Status.SERVING, 'it is alive');
});
