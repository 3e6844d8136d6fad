/** `npm run verify -- n8n`: runs the packed nodes in a real n8n, whose CLI imports and executes workflows. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { until } from '@audiosplit/chassis/testing/until';
import { repositoryRoot } from '../../deploy/launcher.mjs';
import { reportedTask, reportTo } from '../../deploy/provision/progress.ts';
import { packNpmPackages } from '../../deploy/release/pack.ts';
import { codeBlocksOf } from '../../gateway/console/src/guide/code-blocks.ts';
import { startObservedRun } from '../harness/installation/observed-run.ts';
import { startOwnPostgres } from '../harness/installation/own-postgres.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { openN8n } from './n8n-program.ts';

const WRONG_KEY = 'ask_live_planted_wrong_key';

/** The trigger's credential. */
const ACCOUNT = { id: 'account', name: 'account' };

/** The address in the page; the installation's own sample is split instead. */
const SOURCE_URL = 'https://example.com/lecture.mp3';

const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const ofProduct = stack.use(await startOwnPostgres({ durable: false }));
const ofN8n = stack.use(await startOwnPostgres({ durable: false }));
const run = stack.use(await startObservedRun({ DATABASE_URL: ofProduct.url }));
const { path: folder } = stack.use(await temporaryFolder());
const task = reportedTask('n8n', reportTo(process.stderr), new AbortController().signal);
const [nodes = assert.fail()] = await packNpmPackages(join(folder, 'packed'), task, ['clients/n8n']);
const n8n = await openN8n({ folder, databaseUrl: ofN8n.url, nodes: nodes.folder }, task);

const page = await readFile(join(repositoryRoot, 'docs/guide/n8n.md'), 'utf8');
const [workflow = assert.fail('the page has no workflow')] = codeBlocksOf(page)
  .filter(({ role }) => role === 'run')
  .map(({ text }) => JSON.parse(text.replace(SOURCE_URL, `${run.baseUrl}/samples/tour.mp3`)));

interface Outcome {
  readonly code: number;
  readonly text: string;
}

/** Imports the page's workflow with other parameters, and executes it. */
async function execute(id: string, parameters: object, credential = 'audiosplit'): Promise<Outcome> {
  const [start, node] = workflow.nodes;
  const credentials = { audiosplitApi: { id: credential, name: credential } };
  const nodes = [start, { ...node, credentials, parameters: { ...node.parameters, ...parameters } }];
  const file = await n8n.file(`${id}.json`, { ...workflow, id, name: id, nodes });
  await n8n.run('import:workflow', `--input=${file}`);
  return await n8n.run('execute', `--id=${id}`, '--rawOutput');
}

/** The node's output. n8n prints it as a part of its log. */
function itemsOf({ code, text }: Outcome) {
  assert.equal(code, 0, text);
  const { data } = JSON.parse(/^\{\n.*^\}$/ms.exec(text)?.[0] ?? text);
  return data.resultData.runData.Audiosplit[0].data.main[0];
}

describe('a real n8n', () => {
  before(async () => {
    const { baseUrl } = run;
    const keys = { audiosplit: run.apiKey, wrong: WRONG_KEY };
    const ofKeys = Object.entries(keys).map(([id, apiKey]) => ({
      id,
      name: id,
      type: 'audiosplitApi',
      data: { baseUrl, apiKey },
    }));
    const ofAccount = { ...ACCOUNT, type: 'audiosplitAccountApi', data: { baseUrl, ...run.credentials } };
    const file = await n8n.file('credentials.json', [...ofKeys, ofAccount]);
    const { code, text } = await n8n.run('import:credentials', `--input=${file}`);
    assert.equal(code, 0, text);
  });

  test('executes the workflow of the guide: one item per segment', async () => {
    const items = itemsOf(await execute('audiosplitFirst1', {}));
    assert.deepEqual(
      items.map(({ json }: { json: { fileName: string } }) => json.fileName),
      [0, 1, 2, 3, 4].map((n) => `tour-${n}.mp3`),
    );
  });

  test('puts the files into the items', async () => {
    const items = itemsOf(await execute('audiosplitFiles1', { download: true }));
    assert.equal(items.length, 5);
    for (const { json, binary } of items) {
      assert.deepEqual([binary.data.fileName, binary.data.mimeType], [json.fileName, 'audio/mpeg']);
      assert.equal(binary.data.bytes ?? Buffer.from(binary.data.data, 'base64').length, json.size);
    }
  });

  test('reports a wrong key without showing it', async () => {
    const { code, text } = await execute('audiosplitWrong1', {}, 'wrong');
    assert.equal(code, 1);
    assert.match(text, /NodeApiError: Audiosplit refused the credential \(UNAUTHORIZED\)/);
    assert.doesNotMatch(text, new RegExp(WRONG_KEY));
  });

  test('starts a workflow when a split has completed, as long as the workflow is active', async () => {
    await using running = await n8n.start();
    const trigger = {
      id: '00000000-0000-4000-8000-000000000003',
      name: 'Audiosplit Trigger',
      type: 'n8n-nodes-audiosplit.audiosplitTrigger',
      typeVersion: 1,
      position: [0, 0],
      webhookId: '00000000-0000-4000-8000-000000000004',
      parameters: { events: ['split.completed'] },
      credentials: { audiosplitAccountApi: ACCOUNT },
    };
    const created = { name: 'A split has ended', nodes: [trigger], connections: {}, settings: {} };
    const { id, versionId } = await running.call('POST', '/workflows', created);
    await running.call('POST', `/workflows/${id}/activate`, { versionId });
    const endpoint = () => run.call('GET /api/v1/webhooks/endpoint', run.withToken);
    // n8n responds before it has registered and removed the address.
    await until(async () => (await endpoint()).status === 200, 'the endpoint is registered');
    const { body } = await endpoint();
    assert.ok(body.url.startsWith(`${running.url}/webhook/`), body.url);
    assert.deepEqual(body.events, ['split.completed']);

    const job = await run.split({ sourceUrl: `${run.baseUrl}/samples/tour.mp3` });
    const filter = encodeURIComponent(JSON.stringify({ workflowId: id }));
    const executions = async () => (await running.call('GET', `/executions?filter=${filter}`)).results;
    await until(async () => (await executions())[0]?.status === 'success', 'the workflow has run');
    const [execution, ...others] = await executions();
    assert.deepEqual([execution.mode, others], ['webhook', []]);
    const { data } = await running.call('GET', `/executions/${execution.id}`);
    assert.match(data, new RegExp(`"split\\.completed".*"${job.id}"`));

    await running.call('POST', `/workflows/${id}/deactivate`, {});
    await until(async () => (await endpoint()).status === 404, 'the endpoint is removed');
  });
});
