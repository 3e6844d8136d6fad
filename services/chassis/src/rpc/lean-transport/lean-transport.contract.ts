/** What a caller and a method can observe of a unary call, with every transport. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ErrorInfoSchema, Reason } from '@audiosplit/proto/errors/v1/errors';
import { type GetJobResponseSchema, JobStatus, JobsService } from '@audiosplit/proto/jobs/v1/jobs';
import type { MessageInitShape } from '@bufbuild/protobuf';
import {
  type Client,
  Code,
  ConnectError,
  type ConnectRouter,
  createClient,
  type HandlerContext,
  type Interceptor,
  type ServiceImpl,
  type Transport,
} from '@connectrpc/connect';
import { until } from '../../testing/until.ts';

export interface Served extends AsyncDisposable {
  connect(interceptors: readonly Interceptor[]): Transport;
}

export interface ServeOptions {
  readonly routes: (router: ConnectRouter) => void;
  readonly interceptors: readonly Interceptor[];
  readonly maxMessageBytes: number;
}

export type Serve = (options: ServeOptions) => Promise<Served>;

const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
const CODES = Object.values(Code).filter((code): code is Code => typeof code === 'number');

type GetJob = ServiceImpl<typeof JobsService>['getJob'];

export function describeUnaryCalls(name: string, serve: Serve): void {
  const serving = async (
    getJob: GetJob,
    { server = [], client = [] }: { server?: readonly Interceptor[]; client?: readonly Interceptor[] } = {},
  ): Promise<{ client: Client<typeof JobsService> } & AsyncDisposable> => {
    const served = await serve({
      routes: (router) => router.service(JobsService, { getJob }),
      interceptors: server,
      maxMessageBytes: MAX_MESSAGE_BYTES,
    });
    return {
      client: createClient(JobsService, served.connect(client)),
      [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
    };
  };

  describe(`unary calls ${name}`, () => {
    test('a request and its response arrive complete', async () => {
      const job = {
        id: 'job_1',
        status: JobStatus.COMPLETED,
        metadataJson: '{"title":"Überschrift ✓"}',
        sourceSizeBytes: 2n ** 53n + 1n,
        createdAt: { seconds: 1_790_000_000n, nanos: 5 },
        segments: [
          { index: 0, objectKey: 'a' },
          { index: 1, objectKey: 'b' },
        ],
      };
      await using served = await serving(({ jobId, omitSegments }) => {
        assert.deepEqual([jobId, omitSegments], ['job_1', true]);
        return { job };
      });
      const answer = await served.client.getJob({ jobId: 'job_1', omitSegments: true });
      assert.equal(answer.job?.metadataJson, job.metadataJson);
      assert.equal(answer.job.sourceSizeBytes, job.sourceSizeBytes);
      assert.equal(answer.job.createdAt?.nanos, 5);
      assert.deepEqual(
        answer.job.segments.map(({ objectKey }) => objectKey),
        ['a', 'b'],
      );
      assert.equal(answer.job.webhookUrl, undefined);
    });

    test('an empty request returns an empty response', async () => {
      await using served = await serving(() => ({}));
      assert.equal((await served.client.getJob({})).job, undefined);
    });

    for (const code of CODES) {
      test(`the error ${Code[code]} arrives with its text, details and metadata`, async () => {
        const info = { reason: Reason.QUEUE_FULL, publicMessage: 'Zu viele: später ✓', retryAfterSeconds: 3 };
        await using served = await serving(() => {
          throw new ConnectError('why not: ünfit', code, { 'x-hint': 'later' }, [
            { desc: ErrorInfoSchema, value: info },
          ]);
        });
        const error = await refusal(served.client.getJob({}));
        assert.equal(error.code, code);
        assert.equal(error.rawMessage, 'why not: ünfit');
        assert.equal(error.metadata.get('x-hint'), 'later');
        const [detail] = error.findDetails(ErrorInfoSchema);
        assert.equal(detail?.reason, info.reason);
        assert.equal(detail.publicMessage, info.publicMessage);
        assert.equal(detail.retryAfterSeconds, 3);
      });
    }

    test('any other error is internal, and reveals nothing', async () => {
      await using served = await serving(() => {
        throw new Error('the password is hunter2');
      });
      const error = await refusal(served.client.getJob({}));
      assert.equal(error.code, Code.Internal);
      assert.ok(!error.message.includes('hunter2') && !String(error.cause).includes('hunter2'));
    });

    test('a method that the service does not implement, and an unknown service, are unimplemented', async () => {
      await using served = await serve({
        routes: (router) => router.service(JobsService, {}),
        interceptors: [],
        maxMessageBytes: MAX_MESSAGE_BYTES,
      });
      const built = createClient(JobsService, served.connect([]));
      assert.equal((await refusal(built.getJob({}))).code, Code.Unimplemented);
      await using empty = await serve({
        routes: () => undefined,
        interceptors: [],
        maxMessageBytes: MAX_MESSAGE_BYTES,
      });
      const absent = createClient(JobsService, empty.connect([]));
      assert.equal((await refusal(absent.getJob({}))).code, Code.Unimplemented);
    });

    test('request headers arrive, and response headers and trailers return', async () => {
      await using served = await serving((_request, context) => {
        const { requestHeader, responseHeader, responseTrailer } = context;
        responseHeader.set('x-echo', requestHeader.get('x-asked') ?? '');
        responseHeader.append('x-many', 'one');
        responseHeader.append('x-many', 'two');
        responseTrailer.set('x-after', 'last');
        return {};
      });
      let header: Headers | undefined;
      let trailer: Headers | undefined;
      await served.client.getJob(
        {},
        {
          headers: { 'X-Asked': 'this' },
          onHeader: (received) => {
            header = received;
          },
          onTrailer: (received) => {
            trailer = received;
          },
        },
      );
      assert.equal(header?.get('x-echo'), 'this');
      assert.equal(header.get('x-many'), 'one, two');
      assert.equal(trailer?.get('x-after'), 'last');
      assert.equal(header.get('x-after'), null);
    });

    test('interceptors of both sides see every call, the first outermost', async () => {
      const seen: string[] = [];
      const note =
        (who: string): Interceptor =>
        (next) =>
        async (request) => {
          seen.push(`${who} asks ${request.method.name}`);
          request.header.append('x-path', who);
          const response = await next(request);
          seen.push(`${who} hears ${response.header.get('x-answer')}`);
          return response;
        };
      await using served = await serving(
        (_request, { requestHeader, responseHeader }) => {
          responseHeader.set('x-answer', requestHeader.get('x-path') ?? '');
          return {};
        },
        { client: [note('a'), note('b')], server: [note('c'), note('d')] },
      );
      await served.client.getJob({});
      const path = 'a, b, c, d';
      assert.deepEqual(seen, [
        ...['a', 'b', 'c', 'd'].map((who) => `${who} asks GetJob`),
        ...['d', 'c', 'b', 'a'].map((who) => `${who} hears ${path}`),
      ]);
    });

    test('a rejection by an interceptor of the server does not reach the method', async () => {
      let calls = 0;
      const refuse: Interceptor = () => () =>
        Promise.reject(new ConnectError('not you', Code.PermissionDenied));
      await using served = await serving(
        () => {
          calls += 1;
          return {};
        },
        { server: [refuse] },
      );
      assert.equal((await refusal(served.client.getJob({}))).code, Code.PermissionDenied);
      assert.equal(calls, 0);
    });

    test('the method knows the deadline, and both sides end at it', async () => {
      const context = Promise.withResolvers<HandlerContext>();
      await using served = await serving((_request, received) => {
        context.resolve(received);
        return new Promise(() => undefined);
      });
      const error = await refusal(served.client.getJob({}, { timeoutMs: 300 }));
      assert.equal(error.code, Code.DeadlineExceeded);
      const { signal, timeoutMs } = await context.promise;
      await until(() => signal.aborted, 'the end of the call at the method');
      assert.ok((timeoutMs() ?? 1) < 300);
    });

    test('a call without a deadline has none', async () => {
      const context = Promise.withResolvers<HandlerContext>();
      await using served = await serving((_request, received) => {
        context.resolve(received);
        return {};
      });
      await served.client.getJob({}, { timeoutMs: 0 });
      assert.equal((await context.promise).timeoutMs(), undefined);
    });

    test('canceling ends the call at both sides', async () => {
      const context = Promise.withResolvers<HandlerContext>();
      await using served = await serving((_request, received) => {
        context.resolve(received);
        return new Promise(() => undefined);
      });
      const caller = new AbortController();
      const call = refusal(served.client.getJob({}, { signal: caller.signal, timeoutMs: 0 }));
      const { signal } = await context.promise;
      assert.equal(signal.aborted, false);
      caller.abort();
      assert.equal((await call).code, Code.Canceled);
      await until(() => signal.aborted, 'the end of the call at the method');
    });

    test('a call that was canceled beforehand is not sent', async () => {
      let calls = 0;
      await using served = await serving(() => {
        calls += 1;
        return {};
      });
      const error = await refusal(served.client.getJob({}, { signal: AbortSignal.abort() }));
      assert.equal(error.code, Code.Canceled);
      await served.client.getJob({});
      assert.equal(calls, 1);
    });

    test('messages of megabytes arrive complete', async () => {
      const text = 'é'.repeat(1_000_000);
      await using served = await serving(({ jobId }) => ({ job: { id: jobId } }));
      assert.equal((await served.client.getJob({ jobId: text })).job?.id, text);
    });

    test('a request that is too large is rejected, and the next one is served', async () => {
      await using served = await serving(({ jobId }) => ({ job: { id: jobId } }));
      const error = await refusal(served.client.getJob({ jobId: 'x'.repeat(MAX_MESSAGE_BYTES + 1) }));
      assert.equal(error.code, Code.ResourceExhausted);
      assert.equal((await served.client.getJob({ jobId: 'a' })).job?.id, 'a');
    });

    test('a response that is too large is rejected, and the next one is served', async () => {
      await using served = await serving(({ jobId }) => ({ job: { id: 'x'.repeat(Number(jobId)) } }));
      const error = await refusal(served.client.getJob({ jobId: String(MAX_MESSAGE_BYTES + 1) }));
      assert.equal(error.code, Code.ResourceExhausted);
      assert.equal((await served.client.getJob({ jobId: '1' })).job?.id, 'x');
    });

    test('three hundred concurrent calls each get their own response', async () => {
      await using served = await serving(async ({ jobId }) => {
        await new Promise((resolve) => setImmediate(resolve));
        return { job: { id: jobId } };
      });
      const ids = Array.from({ length: 300 }, (_, index) => `job_${index}`);
      const answers = await Promise.all(ids.map((jobId) => served.client.getJob({ jobId })));
      assert.deepEqual(
        answers.map(({ job }) => job?.id),
        ids,
      );
    });

    test('neither side sees later changes by the other to its message', async () => {
      const answer: MessageInitShape<typeof GetJobResponseSchema> = {
        job: { id: 'first', segments: [{ index: 1 }] },
      };
      await using served = await serving(() => answer);
      const first = await served.client.getJob({});
      first.job?.segments.pop();
      if (first.job !== undefined) first.job.id = 'changed';
      const second = await served.client.getJob({});
      assert.equal(second.job?.id, 'first');
      assert.equal(second.job.segments.length, 1);
    });
  });
}

async function refusal(call: Promise<unknown>): Promise<ConnectError> {
  const error = await call.then(
    () => assert.fail('the call went well'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ConnectError, String(error));
  return error;
}
