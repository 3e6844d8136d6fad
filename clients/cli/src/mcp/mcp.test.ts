/** Runs `audiosplit mcp` as an agent does: through the SDK's own client, over standard input and output. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type FakeApi, startFakeApi } from '../fake-api.fixture.ts';

const MAIN = join(import.meta.dirname, '../main.ts');
const TALK = join(import.meta.dirname, '../../../../deploy/embedded/samples/tour.mp3');
const THIRDS = { splitMode: 'parts', parts: 3 };

describe('agents by MCP, over standard input and output', () => {
  let api: FakeApi;
  before(async () => {
    api = await startFakeApi();
  });
  after(() => api[Symbol.asyncDispose]());

  async function connect(...args: readonly string[]) {
    const client = new Client({ name: 'test', version: '1' });
    const env = { PATH: process.env.PATH ?? '', HOME: api.folder, AUDIOSPLIT_KEY: 'ask_live_agent' };
    const flags = [...process.execArgv, MAIN, 'mcp', ...args];
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: flags, env, cwd: api.folder }),
    );
    const call = async (
      name: string,
      given: object,
      onprogress: (progress: number) => void = () => undefined,
    ) => {
      const { content, structuredContent, isError } = await client.callTool(
        { name, arguments: { ...given } },
        { onprogress: ({ progress }) => onprogress(progress) },
      );
      const [first] = content;
      assert.ok(first?.type === 'text');
      return { text: first.text, result: structuredContent as Record<string, unknown>, isError };
    };
    return { client, call, [Symbol.asyncDispose]: () => client.close() };
  }

  test('a local file is planned and cut by the engine, without a server', async () => {
    await using agent = await connect();
    const { result: planned } = await agent.call('plan_split', { path: TALK, ...THIRDS });
    assert.equal(planned.segmentCount, 3);
    const reported: number[] = [];
    const { result } = await agent.call(
      'split_audio',
      { path: TALK, outputFolder: 'thirds', ...THIRDS },
      (progress) => reported.push(progress),
    );
    const paths = (result.segments as { path: string }[]).map(({ path }) => path);
    const names = ['tour-000.mp3', 'tour-001.mp3', 'tour-002.mp3'];
    assert.deepEqual(
      paths,
      names.map((name) => join(api.folder, 'thirds', name)),
    );
    assert.deepEqual((await readdir(join(api.folder, 'thirds'))).sort(), names);
    assert.ok(reported.length > 0 && reported.every((progress) => progress <= 100));
  });

  test('errors say what to change', async () => {
    await using agent = await connect();
    const textOf = async (name: string, given: object) => {
      const { isError, text } = await agent.call(name, given);
      assert.equal(isError, true);
      return text;
    };
    assert.match(await textOf('get_job', { jobId: 'job_1' }), /audiosplit login.*path/);
    assert.match(await textOf('plan_split', THIRDS), /either path.* or sourceUrl/);
    assert.match(await textOf('plan_split', { path: 'nothing.mp3', ...THIRDS }), /nothing\.mp3/);
    assert.match(await textOf('plan_split', { path: MAIN, ...THIRDS }), /^UNSUPPORTED_MEDIA: /);
    assert.match(await textOf('plan_split', { path: TALK, splitMode: 'parts' }), /^parts: /);
    const twice = { path: TALK, outputFolder: 'twice', ...THIRDS };
    assert.equal((await agent.call('split_audio', twice)).isError, undefined);
    assert.match(await textOf('split_audio', twice), /exists.*another outputFolder/);
  });

  test('with a server, calls use the given key, and rejections say what to do', async () => {
    await using agent = await connect('--server', api.url);
    api.answers['GET /api/v1/splits'] = {
      data: [],
      pagination: { page: 1, limit: 20, total: 0, totalPages: 0 },
    };
    assert.deepEqual((await agent.call('list_jobs', {})).result.jobs, []);
    assert.equal(api.seen.at(-1)?.headers['x-api-key'], 'ask_live_agent');
    const { isError, text } = await agent.call('get_job', { jobId: 'job_9' });
    assert.equal(isError, true);
    assert.match(text, /^NOT_FOUND: .*\nWhat to do: /);
  });

  test('a call of 10 MB is rejected with the reason', async () => {
    await using agent = await connect('--server', api.url);
    const sourceUrl = `https://example.com/${'x'.repeat(10_000_000)}`;
    const { isError, text } = await agent.call('split_audio', { sourceUrl, ...THIRDS });
    assert.equal(isError, true);
    assert.match(text, /sourceUrl/);
    assert.ok(text.length < 1_000);
  });
});
