/** Tests /mcp with the SDK's own client, in both protocol revisions that clients use. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { ServiceError } from '@audiosplit/chassis/errors';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { until } from '@audiosplit/chassis/testing/until';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { JobStatus } from '@audiosplit/proto/jobs/v1/jobs';
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { completed, failed, type JobInit, queued } from '../routes/split-jobs.fixture.ts';
import { type ServiceDoubles, startTestGateway } from '../testing/test-gateway.ts';

const REVISIONS = {
  'the stateless revision': { versionNegotiation: { mode: 'auto' } },
  'the revisions before it': {},
} satisfies Record<string, ClientOptions>;
const TOOLS = ['plan_split', 'split_audio', 'get_job', 'list_jobs', 'cancel_job'];
const SPLIT = { sourceUrl: 'https://example.com/a.mp3', splitMode: 'duration', segmentDuration: 30 };

for (const [revision, options] of Object.entries(REVISIONS)) {
  describe(`agents by MCP, ${revision}`, () => {
    const stored = new Map<string, JobInit>();
    const requests: unknown[] = [];
    let steps: JobInit[] = [];
    const find = (jobId: string) => {
      const job = stored.get(jobId);
      if (job === undefined) throw new ServiceError(Reason.JOB_NOT_FOUND, 'No such job.');
      return { ...job, id: jobId };
    };
    const jobs: NonNullable<ServiceDoubles['jobs']> = {
      createJob({ request }) {
        requests.push(request);
        stored.set('job_1', queued);
        return { job: queued };
      },
      getJob: ({ jobId }) => ({ job: find(jobId) }),
      getProgress({ jobIds }) {
        const next = steps.shift();
        if (next !== undefined) stored.set('job_1', next);
        return {
          jobs: jobIds.map((jobId) => {
            const { status = 0, progressPercent = 0 } = find(jobId);
            return { jobId, status, progressPercent };
          }),
        };
      },
      listJobs: () => ({ jobs: [completed], total: 1n }),
      cancelJob({ jobId }) {
        find(jobId);
        return { job: { ...failed, id: jobId, error: { code: 'CANCELED', message: 'Stopped.' } } };
      },
    };
    const gateway = forSuite(() =>
      startTestGateway({ services: { jobs, webhooks: { checkTarget: () => ({}) } } }),
    );
    beforeEach(() => {
      stored.clear();
      requests.length = 0;
      steps = [];
    });

    async function connect(
      apiKey = gateway.newKey(['splits:read', 'splits:write']).secret,
      url = gateway.url,
    ) {
      const client = new Client({ name: 'test', version: '1' }, options);
      const requestInit = { headers: { Authorization: `Bearer ${apiKey}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }));
      const call = async (
        name: string,
        args: Record<string, unknown>,
        onprogress?: (progress: number) => void,
      ) => {
        const { content, structuredContent, isError } = await client.callTool(
          { name, arguments: args },
          onprogress === undefined ? {} : { onprogress: ({ progress }) => onprogress(progress) },
        );
        const [first] = content;
        assert.ok(first?.type === 'text' && content.length === 1);
        return { text: first.text, result: structuredContent as Record<string, unknown>, isError };
      };
      return { client, call, [Symbol.asyncDispose]: () => client.close() };
    }

    test('there are five tools, whose inputs are the fields of the API', async () => {
      await using agent = await connect();
      const { tools } = await agent.client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        TOOLS,
      );
      const { paths } = (await (await fetch(new URL('/openapi.json', gateway.url))).json()) as {
        paths: Record<
          string,
          { post: { requestBody: { content: Record<string, { schema: { properties: object } }> } } }
        >;
      };
      const body = paths['/api/v1/splits']?.post.requestBody.content['application/json']?.schema;
      const fields = Object.keys(body?.properties ?? {}).filter((name) => name !== 'dryRun');
      const split = tools.find(({ name }) => name === 'split_audio')?.inputSchema;
      assert.deepEqual(Object.keys(split?.properties ?? {}), [...fields, 'waitSeconds']);
      assert.deepEqual(split?.required, ['sourceUrl', 'splitMode']);
    });

    test('a split waits for its end with progress, and returns links and no bytes', async () => {
      await using agent = await connect();
      steps = [40, 80].map((progressPercent) => ({
        ...queued,
        status: JobStatus.PROCESSING,
        progressPercent,
      }));
      steps.push(completed);
      const reported: number[] = [];
      const { result, text } = await agent.call('split_audio', SPLIT, (progress) => reported.push(progress));
      assert.equal(result.status, 'completed');
      assert.deepEqual(
        reported,
        reported.toSorted((one, other) => one - other),
      );
      assert.ok(reported.includes(40), reported.join());
      const [segment] = result.segments as { downloadUrl: string; fileName: string }[];
      assert.equal(segment?.fileName, 'talk-0.ogg');
      assert.match(segment?.downloadUrl ?? '', /^http/);
      assert.ok(text.length < 2_000, text);
    });

    test('a plan is a dry run', async () => {
      await using agent = await connect();
      steps = [completed];
      const { result } = await agent.call('plan_split', SPLIT);
      assert.equal(result.segmentCount, 2);
      assert.equal((requests[0] as { cut: { dryRun: boolean } }).cut.dryRun, true);
    });

    test('a split that takes longer than the wait of the call says how to continue', async () => {
      await using agent = await connect();
      const { result } = await agent.call('split_audio', { ...SPLIT, waitSeconds: 0 });
      assert.equal(result.status, 'queued');
      assert.match(String(result.next), /get_job with job_1/);
    });

    test('an accepted job is reported by its id even if it cannot be followed', async () => {
      await using agent = await connect(gateway.newKey(['splits:write']).secret);
      const { result } = await agent.call('split_audio', SPLIT);
      assert.deepEqual([result.jobId, result.status], ['job_1', 'queued']);
      await using ending = await startTestGateway({
        services: { jobs, webhooks: { checkTarget: () => ({}) } },
      });
      await using waiting = await connect(ending.newKey(['splits:read', 'splits:write']).secret, ending.url);
      const answered = waiting.call('split_audio', SPLIT);
      await until(() => requests.length === 2);
      await ending[Symbol.asyncDispose]();
      assert.equal((await answered).result.jobId, 'job_1', 'a gateway that is replaced answers');
    });

    test('jobs can be read, listed and stopped', async () => {
      await using agent = await connect();
      stored.set('job_1', completed);
      assert.equal((await agent.call('get_job', { jobId: 'job_1' })).result.segmentCount, 2);
      const from = await agent.call('get_job', { jobId: 'job_1', fromSegment: 1 });
      assert.equal((from.result.segments as unknown[]).length, 1);
      const { result } = await agent.call('list_jobs', { limit: 5 });
      assert.equal((result.jobs as { jobId: string }[])[0]?.jobId, 'job_1');
      assert.equal((await agent.call('cancel_job', { jobId: 'job_1' })).result.status, 'failed');
    });

    test('errors contain the code, the cause and the remedy', async () => {
      await using agent = await connect();
      const missing = await agent.call('get_job', { jobId: 'job_2' });
      assert.equal(missing.isError, true);
      assert.match(missing.text, /^JOB_NOT_FOUND: No such job\.\nWhat to do: /);
      const contradicting = await agent.call('split_audio', { ...SPLIT, parts: 3 });
      assert.match(contradicting.text, /^INVALID_PARAMS: .*\nparts: .*\nWhat to do: /s);
      const malformed = await agent.call('split_audio', { splitMode: 'duration' });
      assert.equal(malformed.isError, true);
      assert.match(malformed.text, /sourceUrl/);
      steps = [failed];
      const ended = await agent.call('split_audio', SPLIT);
      assert.equal(ended.isError, true);
      assert.match(ended.text, /^SOURCE_TIMEOUT: Too slow\.\nWhat to do: .*job_1/s);
    });

    test('a key has the same scopes and limits as for the API', async () => {
      await using reader = await connect(gateway.newKey(['splits:read']).secret);
      stored.set('job_1', completed);
      assert.equal((await reader.call('get_job', { jobId: 'job_1' })).isError, undefined);
      const refused = await reader.call('split_audio', SPLIT);
      assert.match(refused.text, /^INSUFFICIENT_SCOPE: .*splits:write/);
      await using slow = await startTestGateway({ services: { jobs }, requestsPerMinute: 6 });
      const key = slow.newKey(['splits:read']).secret;
      const post = () =>
        fetch(new URL('/mcp', slow.url), {
          method: 'POST',
          headers: {
            authorization: `Bearer ${key}`,
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
          },
          body: JSON.stringify({
            jsonrpc: '2.0',
            id: 1,
            method: 'tools/call',
            params: { name: 'list_jobs', arguments: {} },
          }),
        });
      const answers = [await post(), await post(), await post(), await post()];
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 429],
        'the call and what it calls count',
      );
      for (const answer of answers) await answer.body?.cancel();
    });

    test('an agent without a key or with a wrong one is rejected', async () => {
      await assert.rejects(connect('ask_live_wrong'), /401|Unauthorized|UNAUTHORIZED/);
      const answer = await fetch(new URL('/mcp', gateway.url), { method: 'POST' });
      assert.equal(answer.status, 401);
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer/);
      await answer.body?.cancel();
    });

    test('a call of 10 MB is rejected with the reason', async () => {
      await using agent = await connect();
      const large = agent.call('split_audio', { ...SPLIT, fileName: 'x'.repeat(10_000_000) });
      await assert.rejects(large, /413|PAYLOAD_TOO_LARGE/);
    });
  });
}
