/** Tests the node “Audiosplit” through n8n's interfaces, against an installation. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { until } from '@audiosplit/chassis/testing/until';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { startObservedRun } from '../harness/installation/observed-run.ts';
import { TOUR_SAMPLE_PATH } from '../harness/servers/sources.ts';
import {
  Audiosplit,
  type Execution,
  executionOf,
  NodeApiError,
  NodeOperationError,
  notificationOf,
} from './execution.fixture.ts';

const WRONG_KEY = 'ask_live_planted_wrong_key';
const nodeType = new Audiosplit();

describe('the node Audiosplit', () => {
  const run = forSuite(startObservedRun);
  const credentials = (apiKey = run.apiKey, baseUrl = run.baseUrl) => ({
    audiosplitApi: { baseUrl, apiKey },
  });
  const tour = () => `${run.baseUrl}/samples/tour.mp3`;
  const given = (parameters: IDataObject, more: Partial<Execution> = {}) => ({
    nodeType,
    credentials: credentials(),
    parameters: { sourceUrl: tour(), segmentDuration: 10, ...parameters },
    ...more,
  });
  const execute = async (parameters: IDataObject, more: Partial<Execution> = {}) => {
    const [output = []] = await nodeType.execute.call(executionOf(given(parameters, more)).context);
    return output;
  };
  const rejection = async (parameters: IDataObject, more: Partial<Execution> = {}) => {
    const error: unknown = await execute(parameters, more).then(
      () => assert.fail('it did not fail'),
      (reason) => reason,
    );
    assert.ok(error instanceof NodeApiError || error instanceof NodeOperationError, String(error));
    return error;
  };
  const file = (data: Buffer) => ({
    json: {},
    binary: { data: { data: data.toString('base64'), mimeType: 'audio/mpeg', fileName: 'talk.mp3' } },
  });

  test('splits a URL, and its output is one item per segment', async () => {
    const output = await execute({});
    assert.deepEqual(
      output.map(({ json, pairedItem }) => [json.index, json.startTime, json.fileName, pairedItem]),
      [0, 1, 2, 3, 4].map((n) => [n, n * 10, `tour-${n}.mp3`, { item: 0 }]),
    );
    assert.match(String(output[0]?.json.jobId), /^job_/);
    assert.ok((await fetch(String(output[0]?.json.downloadUrl))).ok);
  });

  test('splits a binary, and puts the files into the items if requested', async () => {
    const source = await readFile(TOUR_SAMPLE_PATH);
    const output = await execute(
      { source: 'binary', splitMode: 'parts', parts: 2, download: true, outputBinaryField: 'part' },
      { items: [file(source)] },
    );
    assert.deepEqual(
      output.map(({ binary }) => binary?.part?.fileName),
      ['talk-0.mp3', 'talk-1.mp3'],
    );
    for (const { json, binary } of output)
      assert.equal(Buffer.from(binary?.part?.data ?? '', 'base64').length, json.size);
  });

  for (const [name, parameters, count] of [
    ['fileSize', { splitMode: 'fileSize', maxFileSizeMiB: 0.25 }, 2],
    ['parts', { splitMode: 'parts', parts: 3, options: { overlap: 1 } }, 3],
    [
      'silence',
      { splitMode: 'silence', options: { maxDuration: 30, minSilence: 0.7, threshold: 'auto' } },
      2,
    ],
    [
      'chapters',
      {
        splitMode: 'chapters',
        chapters: {
          values: [
            { startTime: '0', title: 'A' },
            { startTime: '0:20', title: '' },
          ],
        },
      },
      2,
    ],
    ['ranges', { splitMode: 'ranges', ranges: { values: [{ start: '5', end: '', title: '' }] } }, 1],
    ['ranges by points', { splitMode: 'ranges', splitPoints: '0:15, 30' }, 3],
  ] as const) {
    test(`cuts in the mode ${name}`, async () => {
      const output = await execute(parameters as IDataObject);
      assert.equal(output.length, count, JSON.stringify(output.map(({ json }) => json)));
    });
  }

  test('sends options and additional fields with the names of the API', async () => {
    const options = {
      outputFormat: 'wav',
      sampleRate: 16_000,
      channels: 1,
      loudness: -16,
      trimStart: '0:20',
    };
    const more = { additionalFields: '{"metadata": {"episode": 7}}', wait: 'none' };
    const [item] = await execute({ options, ...more });
    const { body: job } = await run.call(`GET /api/v1/splits/${item?.json.id}`, run.withKey);
    assert.deepEqual(job.encoding, { sampleRate: 16_000, channels: 1, loudness: { target: -16 } });
    assert.deepEqual([job.outputFormat, job.trim, job.metadata], ['wav', { start: 20 }, { episode: 7 }]);
  });

  test('links the segments of several items to their items', async () => {
    const output = await execute({ splitMode: 'parts', parts: 2 }, { items: [{ json: {} }, { json: {} }] });
    assert.deepEqual(
      output.map(({ pairedItem }) => pairedItem),
      [0, 0, 1, 1].map((item) => ({ item })),
    );
    assert.equal(new Set(output.map(({ json }) => json.jobId)).size, 2);
  });

  test('outputs the job at once if it does not wait, and “Get Segments” returns its segments', async () => {
    const [item] = await execute({ wait: 'none' });
    assert.equal(item?.json.status, 'queued');
    const output = await execute({ operation: 'getSegments', jobId: item?.json.id });
    assert.equal(output.length, 5);
  });

  describe('rejects with an error of n8n', () => {
    test('a file of 0 bytes, before anything is sent', async () => {
      const before = (await run.call('GET /api/v1/splits', run.withKey)).body.pagination.total;
      const error = await rejection({ source: 'binary' }, { items: [file(Buffer.alloc(0))] });
      assert.deepEqual(
        [error.message, error.description],
        ['The file is empty', 'The binary field “data” has 0 bytes.'],
      );
      assert.equal((await run.call('GET /api/v1/splits', run.withKey)).body.pagination.total, before);
    });

    test('a job that fails', async () => {
      const error = await rejection({ sourceUrl: `${run.baseUrl}/samples/none.mp3` });
      assert.match(error.message, /^The split failed: The source answered with status 404/);
      assert.match(String(error.description), /^SOURCE_UNREACHABLE, job job_/);
    });

    test('an input that the API rejects, with the field', async () => {
      const error = await rejection({ segmentDuration: 0 });
      assert.match(error.message, /\(INVALID_PARAMS\)$/);
      assert.match(String(error.description), /segmentDuration/);
      assert.equal(Object(error).httpCode, '400');
    });

    test('a wrong key, which the error does not show', async () => {
      const error = await rejection({}, { credentials: credentials(WRONG_KEY) });
      assert.equal(error.message, 'Audiosplit refused the credential (UNAUTHORIZED)');
      assert.doesNotMatch(JSON.stringify(error) + String(error.stack), new RegExp(WRONG_KEY));
    });

    test('additional fields that are not JSON', async () => {
      assert.match((await rejection({ additionalFields: '[1' })).message, /not a JSON object/);
    });
  });

  test('but continues after an error if the node is set to do so', async () => {
    const items = [file(Buffer.alloc(0)), file(await readFile(TOUR_SAMPLE_PATH))];
    const output = await execute({ source: 'binary' }, { items, continueOnFail: true });
    assert.deepEqual([output[0]?.json, output.length], [{ error: 'The file is empty' }, 6]);
  });

  describe('waits by webhook', () => {
    const sleep = async (parameters: IDataObject, resumeUrl: string) => {
      const items: INodeExecutionData[] = [{ json: {} }];
      const { context, sleeping } = executionOf(given(parameters, { items, resumeUrl }));
      const [output] = await nodeType.execute.call(context);
      return { output, sleeping, item: items[0]?.json ?? {} };
    };

    test('and continues with the segments once it is notified of the end', async () => {
      const { sleeping, item } = await sleep({ wait: 'webhook' }, `${run.receiver.url}/resume/1`);
      assert.ok((sleeping.until ?? assert.fail()).getTime() > Date.now() + 59 * 60_000);
      const received = () => run.receiver.received.filter(({ body }) => body.includes(String(item.id)));
      await until(() => received().some(({ body }) => body.includes('split.completed')), 'it is notified');
      const last = received().at(-1) ?? assert.fail();
      const notification = { headers: {}, body: last.body };
      const resumed = await nodeType.webhook.call(notificationOf(given({}), notification, item).context);
      assert.equal(resumed.workflowData?.[0]?.length, 5);
      const foreign = notificationOf(given({}), notification, { id: 'job_of_another' });
      assert.deepEqual(await nodeType.webhook.call(foreign.context), {});
    });

    test('but polls if n8n has no https address', async () => {
      const { output, sleeping } = await sleep({ wait: 'auto' }, 'http://localhost:5678/webhook-waiting/1');
      assert.deepEqual([output?.length, sleeping.until], [5, undefined]);
    });

    test('but polls if the installation rejects the address', async () => {
      const { output, sleeping } = await sleep({ wait: 'webhook' }, 'ftp://localhost/webhook-waiting/1');
      assert.deepEqual([output?.length, sleeping.until], [5, undefined]);
    });

    test('but polls if files are downloaded', async () => {
      const { output, sleeping } = await sleep({ download: true }, 'https://n8n.example.com/1');
      assert.deepEqual([output?.length, sleeping.until], [5, undefined]);
    });
  });
});
