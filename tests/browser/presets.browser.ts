/** Named settings: the built-in ones, and the user's own. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stackOfFile } from '../harness/stack-of-file.ts';
import { inspectPage } from './inspect-page.ts';
import { openAccountPage } from './open-api.ts';
import { goTo } from './steps.ts';

const { api, visitor, page } = await openAccountPage(stackOfFile(), 'ida@example.com');

describe('presets in a browser', () => {
  const preset = () => page.getByLabel('Preset', { exact: true });
  const field = (name: string) => page.getByLabel(name, { exact: true });
  const choose = (name: string) => preset().selectOption({ label: name });
  const shown = () => preset().locator('option:checked').innerText();

  test('a speech-to-text preset fills its limits into the form', async () => {
    await page.getByLabel('or paste a link to one').fill('https://example.com/talk.mp3');
    await choose('Speech to text: OpenAI');
    assert.ok(await page.getByRole('radio', { name: 'By size' }).isChecked());
    assert.equal(await field('Largest segment, in megabytes').inputValue(), '24.5');
    await page.getByText('More options').click();
    assert.equal(await field('Never longer than').inputValue(), '23:10');
    assert.equal(await field('Cut in a silence within').inputValue(), '10');
    assert.ok(await page.getByLabel('For speech recognition').isChecked());
    assert.equal(await shown(), 'Speech to text: OpenAI');
    await inspectPage(page, 'split-preset');
  });

  test('preset fields without a form field are kept, listed, and can be dropped', async () => {
    await choose('Audiobook');
    await page.getByText('Kept as it was: more on silences.').waitFor();
    await page.getByText('Do this with curl').click();
    await page.getByText('minDuration').waitFor();
    await page.getByRole('button', { name: 'Drop' }).click();
    await page.getByText('minDuration').waitFor({ state: 'detached' });
    assert.equal(await shown(), 'Custom');
  });

  test("the user's own preset is saved under a name, available after a reload, and can be replaced", async () => {
    const save = async (action: string) => {
      await page.getByRole('button', { name: 'Save as preset' }).click();
      const dialog = page.getByRole('dialog', { name: 'Save as preset' });
      await dialog.getByLabel('Name').fill('Lectures');
      await inspectPage(page, action === 'Save' ? 'preset-save' : undefined);
      await dialog.getByRole('button', { name: action }).click();
      await page.getByRole('status').getByText('Lectures is saved.').waitFor();
      await page.getByRole('button', { name: 'Delete the preset Lectures' }).waitFor();
    };
    await choose('Podcast chapters');
    await page.getByRole('radio', { name: 'Into equal parts' }).check();
    await field('Number of parts').fill('7');
    await save('Save');
    await page.reload();
    await choose('Lectures');
    assert.equal(await field('Number of parts').inputValue(), '7');
    await field('Number of parts').fill('8');
    await save('Replace');
    const { rows } = await api.sql.query('select name, request from account.presets');
    assert.deepEqual(rows, [
      { name: 'Lectures', request: { splitMode: 'parts', parts: 8, fileName: '{number} {title}' } },
    ]);
  });

  test('a preset is deleted after a confirmation, and the form keeps its settings', async () => {
    await page.getByRole('button', { name: 'Delete the preset Lectures' }).click();
    await page
      .getByRole('dialog', { name: 'Delete the preset Lectures?' })
      .getByRole('button', { name: 'Delete' })
      .click();
    await page.getByRole('button', { name: 'Save as preset' }).waitFor();
    assert.equal(await shown(), 'Custom');
    assert.equal(await field('Number of parts').inputValue(), '8');
    await goTo(page, 'Jobs');
  });

  test('no page reported an error or violated the content policy', () => visitor.assertQuiet());
});
