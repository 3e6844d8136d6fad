/**
 * A plan edited before its job is created: the cuts that a dry run finds, and cuts moved, added, removed and
 * named by hand.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { TOUR_SAMPLE_PATH } from '../harness/servers/sources.ts';
import { tone } from '../harness/servers/tones.ts';
import { stackOfFile } from '../harness/stack-of-file.ts';
import { inspectPage } from './inspect-page.ts';
import { openKeyboard } from './keyboard.ts';
import { openProduct } from './open-product.ts';
import { goTo, signUp } from './steps.ts';

const SECONDS = 240;
const JOB_TIMEOUT_MS = 60_000;
/** Silent from 1:00 to 1:10, and from 3:00 to 3:10. */
const recording = {
  name: 'panel.wav',
  mimeType: 'audio/wav',
  buffer: tone(SECONDS, (at) =>
    at % 120 >= 60 && at % 120 < 70 ? 0 : 20_000 * Math.sin(2 * Math.PI * 220 * at),
  ),
};

const { visitor, page, product } = await openProduct(stackOfFile());
await signUp(page, 'pia@example.com');

/** An ID3v2.3 tag with a CHAP frame for each chapter, to be put in front of an mp3. */
function chapterTag(chapters: readonly (readonly [startMs: number, title: string])[]): Buffer {
  const frame = (id: string, body: Buffer) => {
    const head = Buffer.alloc(10);
    head.write(id, 'latin1');
    head.writeUInt32BE(body.length, 4);
    return Buffer.concat([head, body]);
  };
  const frames = chapters.map(([startMs, title], n) => {
    const times = Buffer.alloc(16, 0xff);
    times.writeUInt32BE(startMs, 0);
    times.writeUInt32BE(chapters[n + 1]?.[0] ?? startMs + 1_000, 4);
    const text = frame('TIT2', Buffer.from(`\0${title}`, 'latin1'));
    return frame('CHAP', Buffer.concat([Buffer.from(`c${n}\0`, 'latin1'), times, text]));
  });
  const body = Buffer.concat(frames);
  const size = [21, 14, 7, 0].map((shift) => (body.length >> shift) & 0x7f);
  return Buffer.concat([Buffer.from('ID3\x03\0\0', 'latin1'), Buffer.from(size), body]);
}

describe('editing a plan in a browser', () => {
  const { tabTo, press, type, assertAt } = openKeyboard(page);
  const times = page.getByLabel('Times, one per line', { exact: true });
  const cut = (number: number) => page.getByRole('slider', { name: `Cut ${number}`, exact: true });
  const cursor = page.getByRole('slider', { name: 'Cursor' });
  const pieces = page.getByRole('list', { name: 'Pieces' }).getByRole('listitem');
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const lines = async () => (await times.inputValue()).split('\n');
  const spokenAt = (at: number) => cut(at).getAttribute('aria-valuetext');
  const isCompleted = () => page.getByText('Completed').waitFor({ timeout: JOB_TIMEOUT_MS });
  /** Without the form, which was not sent. */
  const choose = async () => {
    await page.goto('/');
    await page.getByLabel('Audio file').setInputFiles(recording);
    await page.getByText('Calculated on this device').waitFor();
  };
  const dragCut = async (number: number, share: number) => {
    const surface = (await page.locator('.explored').boundingBox()) ?? assert.fail();
    const handle = (await cut(number).boundingBox()) ?? assert.fail();
    const y = handle.y + handle.height / 2;
    await page.mouse.move(handle.x + handle.width / 2, y);
    await page.mouse.down();
    await page.mouse.move(surface.x + share * surface.width + 40, y);
    await page.mouse.move(surface.x + share * surface.width, y);
    await page.mouse.up();
  };

  test('a plan is edited by dragging its cuts; times and command match', async () => {
    await choose();
    await page.getByLabel('Length of a segment').fill('1:00');
    await button('Edit the cuts').click();
    await cut(3).waitFor();
    assert.deepEqual(await lines(), ['1:00', '2:00', '3:00']);
    await dragCut(2, 0.625);
    const [first, second = '', third] = await lines();
    assert.deepEqual([first, third], ['1:00', '3:00']);
    assert.match(second, /^2:(29|30)/);
    await dragCut(1, 0.95);
    assert.match((await lines())[0] ?? '', /^2:(29|30)/, 'no further than the next cut');
    await page.getByText('Do this with curl').click();
    const command = await page.getByRole('region', { name: 'Command' }).innerText();
    assert.match(command, /"splitMode": ?"ranges"/);
    assert.match(command, /"splitPoints"/);
    await page.getByText('Do this with curl').click();
    await button('Split into 4 segments').waitFor();
  });

  test('by keyboard: a cut is added at the cursor, moved and removed', async () => {
    await choose();
    await page.getByRole('radio', { name: 'At given times' }).check();
    await cursor.waitFor();
    await page.getByRole('radio', { name: 'At given times' }).focus();
    await tabTo(cursor, 'Shift+Tab');
    await press('Home');
    for (let tens = 0; tens < 4; tens += 1) await press('PageUp');
    await press('Enter');
    assert.deepEqual(await lines(), ['1:36']);
    await tabTo(cut(1));
    await press('ArrowRight');
    await press('Shift+ArrowLeft');
    assert.equal(await spokenAt(1), '1:38.160');
    assert.deepEqual(await lines(), ['1:38.160']);
    await tabTo(cursor, 'Shift+Tab');
    await press('Home');
    await press('PageUp');
    await tabTo(button('Cut here'));
    await press('Enter');
    assert.deepEqual(await lines(), ['0:24', '1:38.160']);
    await tabTo(cut(1), 'Shift+Tab');
    await press('Delete');
    assert.deepEqual(await lines(), ['1:38.160']);
    await assertAt(cursor);
  });

  test('by keyboard: pieces are named, and kept or dropped', async () => {
    await tabTo(page.getByRole('textbox', { name: 'Title of piece 1' }));
    await type('The first half');
    assert.deepEqual(await lines(), ['0:00-1:38.160 The first half', '1:38.160-']);
    await tabTo(page.getByRole('checkbox', { name: 'Keep piece 2' }));
    await press('Space');
    assert.deepEqual(await lines(), ['0:00-1:38.160 The first half']);
    await pieces.nth(1).getByText('left out').waitFor();
    await inspectPage(page, 'plan-edited');
    await press('Space');
    assert.equal((await lines()).length, 2);
    await tabTo(button('Join piece 1 with the next'), 'Shift+Tab');
    await press('Enter');
    assert.deepEqual(await lines(), ['0:00- The first half']);
    await assertAt(page.getByRole('checkbox', { name: 'Keep piece 1' }));
    await press('Space');
    assert.deepEqual(await lines(), ['0:00- The first half'], 'something is kept');
  });

  test('overlapping pieces are drawn and described', async () => {
    await times.fill('0:00-1:30 One\n1:00-2:00 Two\n3:00-');
    assert.equal(await pieces.getByText('overlaps').count(), 2);
    await inspectPage(page, 'plan-overlap');
    await times.fill('0:00-1:30\nnonsense');
    await page.getByText('Line 2:').waitFor();
    assert.equal(await pieces.count(), 4);
    await times.fill('1:00\n2:00');
    await button('Split into 3 segments').waitFor();
  });

  test('the cuts of a dry run at silences show on the waveform, and are edited before the job is created', async () => {
    await choose();
    await page.getByRole('radio', { name: 'At silences' }).check();
    await button('Find the cuts first').click();
    await isCompleted();
    await page.getByText('This was a dry run').waitFor();
    assert.deepEqual(await page.locator('.segment-time').allInnerTexts(), [
      '0:00.000 – 1:05.000',
      '1:05.000 – 3:05.000',
      '3:05.000 – 4:00.000',
    ]);
    await page.getByText('in a silence').first().waitFor();
    await inspectPage(page, 'dry-run-cuts');
    await button('Edit these cuts').click();
    await cut(2).waitFor();
    assert.deepEqual(await lines(), ['1:05', '3:05']);
    await page.getByRole('textbox', { name: 'Title of piece 2' }).fill('Questions');
    await page.getByRole('checkbox', { name: 'Keep piece 3' }).uncheck();
    await inspectPage(page, 'plan-of-dry-run');
    await button('Split into 2 segments').click();
    await isCompleted();
    await page.getByText('2 given ranges').waitFor();
    assert.deepEqual(await page.locator('.segment-time').allInnerTexts(), [
      '0:00.000 – 1:05.000',
      '1:05.000 – 3:05.000',
    ]);
    await page.getByText('Questions', { exact: true }).waitFor();
  });

  test("the server draws the waveform of an upload's dry run, for any tab", async () => {
    await goTo(page, 'Jobs');
    await page.getByRole('row').nth(2).getByRole('link', { name: 'panel.wav' }).click();
    await page.getByText('This was a dry run').waitFor();
    const other = await visitor.context.newPage();
    const drawn = other.waitForResponse(
      async (response) =>
        response.url().includes('jobs.waveform') && (await response.text()).includes('samples_per_pixel'),
    );
    await other.goto(page.url());
    await drawn;
    await other.close();
  });

  test('the chapters that a dry run finds show on the waveform, with titles, as a plan to edit', async () => {
    await page.goto('/');
    const chapters = chapterTag([
      [0, 'Welcome'],
      [30_000, 'Questions'],
    ]);
    const buffer = Buffer.concat([chapters, await readFile(TOUR_SAMPLE_PATH)]);
    await page.getByLabel('Audio file').setInputFiles({ name: 'show.mp3', mimeType: 'audio/mpeg', buffer });
    await page.getByRole('radio', { name: 'By chapters' }).check();
    await button('Find the cuts first').click();
    await isCompleted();
    await page.getByText('◆ at a chapter').waitFor();
    await page.getByText('Questions', { exact: true }).waitFor();
    await inspectPage(page, 'dry-run-chapters');
    await button('Edit these cuts').click();
    await cut(1).waitFor();
    assert.match(await times.inputValue(), /^0:00-0:30 Welcome\n0:30-\S* Questions$/);
  });

  test("the waveform of a link's dry run is available before the split, and its plan is edited on it", async () => {
    await page.goto('/');
    await page.getByLabel('or paste a link to one').fill(`${product.baseUrl}/samples/tour.mp3`);
    await page.getByLabel('Length of a segment').fill('0:20');
    const drawn = page.waitForResponse(
      async (response) =>
        response.url().includes('jobs.waveform') && (await response.text()).includes('samples_per_pixel'),
    );
    await button('Find the cuts first').click();
    await isCompleted();
    await drawn;
    await inspectPage(page, 'dry-run-of-link');
    await button('Edit these cuts').click();
    await cut(2).waitFor();
    assert.deepEqual(await lines(), ['0:20', '0:40']);
    await cursor.focus();
    assert.match((await cursor.getAttribute('aria-valuetext')) ?? '', /dB below|as loud as it gets/);
    await inspectPage(page, 'plan-of-link');
  });

  test('no page reported an error or violated the content policy', () => visitor.assertQuiet());
});
