import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '@audiosplit/chassis/ids';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { until } from '@audiosplit/chassis/testing/until';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { startAccountFixture } from './account.fixture.ts';
import { MAX_PRESETS } from './preset.ts';

const PARTS = '{"splitMode":"parts","parts":3}';

describe('presets', () => {
  const fixture = forSuite(startAccountFixture);

  const put = (accountId: string, name: string, requestJson = PARTS) =>
    fixture.accounts.putPreset({ name, requestJson }, fixture.actingFor(accountId));
  const list = async (accountId: string) =>
    (await fixture.accounts.listPresets({}, fixture.actingFor(accountId))).presets;

  it('are separate for each account, sorted by name', async () => {
    const [ada, bob] = [newId('acc'), newId('acc')];
    await put(ada, 'meetings');
    await put(ada, 'Interviews');
    await put(bob, 'lectures');
    assert.deepEqual(
      (await list(ada)).map(({ name, requestJson }) => [name, requestJson]),
      [
        ['Interviews', PARTS],
        ['meetings', PARTS],
      ],
    );
  });

  it('saved under an existing name, replace the request and keep the id', async () => {
    const ada = newId('acc');
    const { preset: first } = await put(ada, 'meetings');
    fixture.advance(1_000);
    const { preset: again } = await put(ada, 'meetings', '{"splitMode":"chapters"}');
    assert.ok(first?.updatedAt !== undefined && again?.updatedAt !== undefined);
    assert.deepEqual([again.id, again.createdAt], [first.id, first.createdAt]);
    assert.equal(timestampDate(again.updatedAt).getTime() - timestampDate(first.updatedAt).getTime(), 1_000);
    assert.equal((await list(ada))[0]?.requestJson, '{"splitMode":"chapters"}');
  });

  it(`are at most ${MAX_PRESETS}; one of them can still be replaced`, async () => {
    const ada = newId('acc');
    for (let n = 0; n < MAX_PRESETS; n++) await put(ada, `preset ${n}`);
    const { publicMessage } = await refusal(put(ada, 'one more'), 'PRESET_LIMIT_REACHED');
    assert.match(publicMessage, /100 presets/);
    await put(ada, 'preset 0');
  });

  it('are deleted only by their own account', async () => {
    const [ada, bob] = [newId('acc'), newId('acc')];
    const { preset } = await put(ada, 'meetings');
    const remove = (accountId: string) =>
      fixture.accounts.deletePreset({ presetId: preset?.id ?? '' }, fixture.actingFor(accountId));
    await refusal(remove(bob), 'NOT_FOUND');
    await remove(ada);
    await refusal(remove(ada), 'NOT_FOUND');
    assert.deepEqual(await list(ada), []);
  });

  it('are deleted with their account, and are not recreated', async () => {
    const ada = newId('acc');
    await put(ada, 'meetings');
    await fixture.tell(ada, { case: 'accountPurged', value: {} });
    await until(async () => (await list(ada)).length === 0);
    await refusal(put(ada, 'meetings'), 'NOT_FOUND');
  });
});
