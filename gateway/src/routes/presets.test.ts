import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { NotFoundError } from '@audiosplit/chassis/errors';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { expectError } from '../testing/expect-error.ts';
import { readJson } from '../testing/read-json.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

const AT = new Date('2027-03-14T09:30:00.000Z');
const request = { splitMode: 'ranges', ranges: [{ start: '1:00', end: 90.5 }], outputFormat: 'mp3' };

describe('presets', () => {
  let apiKey: string;
  let saved: { name: string; requestJson: string } | undefined;
  const at = timestampFromDate(AT);
  const preset = () => ({
    id: 'pre_1',
    name: '',
    requestJson: '{}',
    ...saved,
    createdAt: at,
    updatedAt: at,
  });
  const gateway = forSuite(() =>
    startTestGateway({
      services: {
        account: {
          putPreset({ name, requestJson }) {
            saved = { name, requestJson };
            return { preset: preset() };
          },
          listPresets: () => ({ presets: [preset()] }),
          deletePreset({ presetId }) {
            if (presetId !== 'pre_1') throw new NotFoundError(`Preset ${presetId}`);
            return {};
          },
        },
      },
    }),
  );
  before(() => {
    apiKey = gateway.newKey().secret;
  });

  const save = (json: object) => gateway.call('/api/v1/presets', { method: 'POST', apiKey, json });

  test('201: the request is returned as it was given', async () => {
    const response = await save({ name: 'Interviews', request });
    assert.equal(response.status, 201);
    const times = { createdAt: AT.toISOString(), updatedAt: AT.toISOString() };
    const preset = { id: 'pre_1', name: 'Interviews', request, ...times };
    assert.deepEqual(await readJson(response), preset);
    const list = await gateway.call('/api/v1/presets', { apiKey });
    const { data, builtIn } = await readJson<{ data: object[]; builtIn: { id: string }[] }>(list);
    assert.deepEqual(data, [preset]);
    assert.deepEqual(
      builtIn.map(({ id }) => id),
      ['openai', 'groq', 'deepgram', 'azure', 'podcast-chapters', 'audiobook'],
    );
  });

  for (const [what, body, field] of [
    ['an empty name', { name: '', request }, 'name'],
    ['no request', { name: 'a' }, 'request'],
    ['no mode', { name: 'a', request: { parts: 2 } }, 'request.splitMode'],
    [
      'a source',
      { name: 'a', request: { ...request, sourceUrl: 'https://example.com/a' } },
      'request.sourceUrl',
    ],
    ['a missing field', { name: 'a', request: { splitMode: 'parts' } }, 'request.parts'],
    [
      'an end before its start',
      { name: 'a', request: { splitMode: 'ranges', ranges: [{ start: 9, end: 1 }] } },
      'request.ranges[0].end',
    ],
    [
      'more than 16 KiB',
      {
        name: 'a',
        request: { splitMode: 'ranges', ranges: Array(50).fill({ start: 1, title: 'a'.repeat(400) }) },
      },
      'request',
    ],
  ] as const) {
    test(`400 INVALID_PARAMS: ${what}`, async () => {
      await expectError(await save(body), 'INVALID_PARAMS', { field });
    });
  }

  test('204 for a deletion, 404 NOT_FOUND if there is none', async () => {
    const remove = (id: string) => gateway.call(`/api/v1/presets/${id}`, { method: 'DELETE', apiKey });
    assert.equal((await remove('pre_1')).status, 204);
    await expectError(await remove('pre_2'), 'NOT_FOUND');
  });
});
