/** The ways to cut and their options: typed without a mouse, tried, run, and repeated as commands. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { stackOfFile } from '../harness/stack-of-file.ts';
import { inspectPage } from './inspect-page.ts';
import { openKeyboard } from './keyboard.ts';
import { openProduct } from './open-product.ts';
import { makeRecording } from './recording.ts';
import { goTo, signUp } from './steps.ts';

const SECONDS = 600;
const JOB_TIMEOUT_MS = 60_000;
const recording = { name: 'interview.wav', mimeType: 'audio/wav', buffer: makeRecording(SECONDS) };
const run = promisify(execFile);

const { product, visitor, page } = await openProduct(stackOfFile());
await signUp(page, 'uma@example.com');

describe('ways to cut in a browser', () => {
  const { tabTo, press, type } = openKeyboard(page);
  const mode = (name: string) => page.getByRole('radio', { name });
  const field = (name: string) => page.getByLabel(name, { exact: true });
  const splitButton = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const more = () => page.getByText('More options');
  const choose = async () => {
    await goTo(page, 'Split');
    await page.getByLabel('Audio file').setInputFiles(recording);
    await page.getByText('Calculated on this device').waitFor();
  };
  /** From the mode that is selected initially. */
  const arrowTo = async (name: string) => {
    await tabTo(mode('By length'));
    for (let presses = 0; presses < 6 && !(await mode(name).isChecked()); presses += 1)
      await press('ArrowRight');
    assert.ok(await mode(name).isChecked(), name);
  };
  const isCompleted = () => page.getByText('Completed').waitFor({ timeout: JOB_TIMEOUT_MS });
  const textsOf = (selector: string) => page.locator(selector).allInnerTexts();

  test('by keyboard: equal parts under a cap are in the plan and in the job', async () => {
    await choose();
    await arrowTo('Into equal parts');
    await tabTo(field('Number of parts'));
    await type('2');
    await splitButton('Split into 2 segments').waitFor();
    await tabTo(more());
    await press('Enter');
    await tabTo(field('Never longer than'));
    await type('2:30');
    await tabTo(field('Name of the files'));
    await type('{name}, part {number}');
    await page.getByText('2 set').waitFor();
    await page.getByRole('img', { name: 'The recording with 3 cuts' }).waitFor();
    await inspectPage(page, 'split-options');
    await tabTo(splitButton('Split into 4 segments'));
    await press('Enter');
    await isCompleted();
    await page.getByText('into 2 equal parts, at most 2 min 30 s').waitFor();
    assert.deepEqual(await textsOf('.segment-length'), Array(4).fill('2:30.000'));
    assert.deepEqual(await textsOf('.segment-note'), [
      'interview, part 1.wav',
      'interview, part 2.wav',
      'interview, part 3.wav',
      'interview, part 4.wav',
    ]);
    await inspectPage(page, 'job-parts');
  });

  test('by keyboard: typed times show their errors, and are cut once valid', async () => {
    await choose();
    await arrowTo('At given times');
    await tabTo(field('Times, one per line'));
    await type('1:00-2:30 Teaser\n5:00-4:00');
    await page.getByText('Line 2: the end must be after the start.').waitFor();
    assert.equal(await field('Times, one per line').getAttribute('aria-invalid'), 'true');
    for (const _ of '4:00') await press('Backspace');
    await type('5:20.500');
    await page.getByRole('img', { name: 'The recording with 2 segments' }).waitFor();
    await inspectPage(page, 'split-ranges');
    await tabTo(splitButton('Split into 2 segments'));
    await press('Enter');
    await isCompleted();
    await page.getByText('2 given ranges').waitFor();
    assert.deepEqual(await textsOf('.segment-time'), ['1:00.000 – 2:30.000', '5:00.000 – 5:20.500']);
    await page.getByText('Teaser', { exact: true }).waitFor();
    assert.equal(await page.getByText('ends where you said').count(), 2);
    await page.getByRole('button', { name: 'Play segment 2' }).click();
    await page.getByRole('region', { name: 'Player' }).getByText('from 5:00.000').waitFor();
    await page.getByRole('button', { name: 'Close the player' }).click();
    await inspectPage(page, 'job-ranges');
  });

  test('a dry run shows segments without files, and the plan says what only the job can find', async () => {
    await choose();
    await mode('At silences').check();
    await page.getByText('The silences are found when the job runs').waitFor();
    await more().click();
    await page.getByLabel('Dry run only').check();
    await splitButton('Start the dry run').click();
    await isCompleted();
    await page.getByText('This was a dry run').waitFor();
    await page.locator('.segment-note').first().waitFor();
    assert.equal(await page.getByRole('link', { name: /^Download/ }).count(), 0);
    assert.equal(await page.getByRole('button', { name: /^Play/ }).count(), 0);
    await inspectPage(page, 'job-dry-run');
    await goTo(page, 'Jobs');
    await page.getByText('into 2 equal parts, at most 2 min 30 s').waitFor();
    await inspectPage(page, 'jobs-cuts');
  });

  test('an error in a folded option unfolds it', async () => {
    await choose();
    await more().click();
    await field('Overlap').fill('20');
    await more().click();
    await field('Overlap').waitFor({ state: 'hidden' });
    await field('Length of a segment').fill('30');
    await page.getByText('Enter less than half the length of a segment.').waitFor();
    assert.equal(await splitButton('Split').getAttribute('aria-disabled'), 'true');
  });

  test("every split mode's curl command is accepted by the API", async () => {
    await goTo(page, 'API keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('Commands');
    await page.getByRole('button', { name: 'Create the key' }).click();
    const secret = await page.getByTestId('secret').innerText();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    // Without the form, which was not sent.
    await page.reload();
    await goTo(page, 'Split');
    await page.getByLabel('or paste a link to one').fill(`${product.baseUrl}/samples/none.wav`);
    await page.getByText('Do this with curl').click();
    const command = page.getByRole('region', { name: 'Command' });
    await more().click();
    await field('Never longer than').fill('10:00');
    await field('Never larger than').fill('25');
    await field('Cut in a silence within').fill('5');
    await field('Overlap').fill('1.5');
    await field('Only from').fill('0:15');
    await field('Only up to').fill('58:30');
    await field('Name of the files').fill("{name} it's {number}");
    await page.getByLabel('For speech recognition').check();
    await page.getByLabel('Dry run only').check();
    const names = await page.getByRole('radiogroup', { name: 'Cut by' }).locator('label').allInnerTexts();
    assert.equal(names.length, 6);
    for (const name of names) {
      await mode(name).check();
      if (name === 'At given times') await field('Times, one per line').fill("1:00-2:30 It's here\n5:00-");
      // curl is not installed everywhere, and its arguments are tested in the code's own tests: here only the
      // body is printed.
      const script = `curl() { for argument; do last="$argument"; done; printf '%s' "$last"; }\n${await command.innerText()}`;
      const { stdout: body } = await run('sh', ['-c', script], { env: { AUDIOSPLIT_KEY: secret } });
      const response = await fetch(`${product.baseUrl}/api/v1/splits`, {
        method: 'POST',
        headers: { 'x-api-key': secret, 'content-type': 'application/json' },
        body,
      });
      assert.equal(response.status, 201, `${name}: ${body} ${await response.text()}`);
    }
  });

  test('no page reported an error or violated the content policy', () => visitor.assertQuiet());
});
