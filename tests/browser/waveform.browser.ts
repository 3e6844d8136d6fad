/**
 * The waveform on a job's page: computed on the server, played, and zoomed, with a mouse, a finger, and
 * neither.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { tone } from '../harness/servers/tones.ts';
import { stackOfFile } from '../harness/stack-of-file.ts';
import { inspectPage } from './inspect-page.ts';
import { openKeyboard } from './keyboard.ts';
import { openProduct } from './open-product.ts';
import { goTo, signUp } from './steps.ts';

const SECONDS = 240;
const JOB_TIMEOUT_MS = 60_000;
/** Loud, silent, and half as loud, each for a minute or more; cut every minute. */
const recording = {
  name: 'lecture.wav',
  mimeType: 'audio/wav',
  buffer: tone(SECONDS, (at) => {
    const loudness = at < 60 ? 1 : at < 120 ? 0 : 0.5;
    return 30_000 * loudness * Math.sin(2 * Math.PI * 220 * at);
  }),
};

const stack = stackOfFile();
const { visitor, page, browser, product } = await openProduct(stack);
await signUp(page, 'noor@example.com');

/** The heights of the bars at fractions of the width, as fractions of the picture's height. */
async function heightsAt(at: Page, ...shares: number[]): Promise<number[]> {
  // Preact draws after the paint that follows a rendering, or 100 ms after the rendering.
  return (await at.evaluate(`(async () => {
    await new Promise((drawn) => setTimeout(drawn, 200));
    const canvas = document.querySelector('.explored canvas');
    const pen = canvas.getContext('2d');
    return ${JSON.stringify(shares)}.map((share) => {
      let most = 0;
      for (let x = Math.floor(share * canvas.width) - 6; x < share * canvas.width + 6; x += 1) {
        const column = pen.getImageData(x, 0, 1, canvas.height).data;
        let painted = 0;
        for (let n = 3; n < column.length; n += 4) painted += column[n] > 60 ? 1 : 0;
        most = Math.max(most, painted / canvas.height);
      }
      return most;
    });
  })()`)) as number[];
}

describe('the waveform of a job in a browser', () => {
  const { tabTo, press, assertAt } = openKeyboard(page);
  const cursor = (at: Page = page) => at.getByRole('slider', { name: 'Cursor' });
  const player = (at: Page = page) => at.getByRole('region', { name: 'Player' });
  const surface = (at: Page = page) => at.locator('.explored');
  const partShown = (at: Page = page) => at.getByRole('slider', { name: 'Part shown' });
  const waveformCall = /\/console\/trpc\/[^?]*jobs\.waveform/;
  const spokenAt = async (at: Page = page) => (await cursor(at).getAttribute('aria-valuetext')) ?? '';
  const isDrawn = (at: Page = page) => at.getByText('Press to play from there').waitFor();
  /** With a mouse, at fractions of the width. */
  const pressAt = async (share: number, to = share) => {
    const box = (await surface().boundingBox()) ?? assert.fail('the waveform is shown');
    const x = (of: number) => box.x + of * box.width;
    await page.mouse.move(x(share), box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(x((share + to) / 2), box.y + box.height / 2);
    await page.mouse.move(x(to), box.y + box.height / 2);
    await page.mouse.up();
  };
  let jobPath = '';

  test('the code of the waveform is not loaded with the first page', async () => {
    const loaded = () =>
      page.evaluate(
        "performance.getEntriesByType('resource').some(({ name }) => name.includes('job-waveform'))",
      );
    assert.equal(await loaded(), false);
    await page.getByLabel('Audio file').setInputFiles(recording);
    await page.getByLabel('Length of a segment').fill('1:00');
    await page.getByRole('button', { name: 'Split into 4 segments' }).click();
    await page.getByText('Completed').waitFor({ timeout: JOB_TIMEOUT_MS });
    await isDrawn();
    assert.equal(await loaded(), true);
    jobPath = new URL(page.url()).pathname;
  });

  test('every job has a waveform from the server, also in a tab that never had the file', async () => {
    const other = await visitor.context.newPage();
    await other.goto(jobPath);
    await isDrawn(other);
    const [loud = 0, silent = 0, half = 0] = await heightsAt(other, 0.12, 0.37, 0.8);
    assert.ok(loud > 0.8 && silent < 0.1 && half > 0.35 && half < 0.55, `${loud}, ${silent}, ${half}`);
    await other.getByRole('img', { name: 'lecture.wav in 4 segments' }).waitFor();
    await other.close();
  });

  test('cuts are drawn where segments meet', async () => {
    const [cut = 0, beside = 0] = await heightsAt(page, 0.5, 0.44);
    assert.ok(cut > 0.5 && beside < 0.1, `${cut}, ${beside}`);
  });

  test('the placeholder shows only while it is drawn', async () => {
    const other = await visitor.context.newPage();
    let isHeld = true;
    await other.route(waveformCall, async (route) => {
      if (!isHeld) return route.continue();
      const body = JSON.stringify([{ result: { data: null } }]);
      await route.fulfill({ status: 200, contentType: 'application/json', body });
    });
    await other.goto(jobPath);
    await other.getByText('Drawing the waveform …').waitFor();
    const [first = 0, second = 1] = await heightsAt(other, 0.12, 0.37);
    assert.ok(first > 0.05 && Math.abs(first - second) < 0.02, 'all bars are alike');
    isHeld = false;
    await isDrawn(other);
    assert.equal(await other.getByText('Drawing the waveform').count(), 0);
    await other.close();
  });

  test('a click plays the segment there, from that time', async () => {
    await page.bringToFront();
    await pressAt(0.6);
    await player().getByText('Segment 3').waitFor();
    const seconds = Number(await page.getByRole('slider', { name: 'Position' }).inputValue());
    assert.ok(seconds >= 23 && seconds < 30, `${seconds} s into the segment`);
    assert.match(await spokenAt(), /^2:2\d\.\d{3}, segment 3, /);
    await inspectPage(page, 'job-waveform');
    await page.getByRole('button', { name: 'Close the player' }).click();
  });

  test('by keyboard: arrows move the cursor, Space plays from it, and its value describes the place', async () => {
    // The element that had the focus before the player opened.
    await assertAt(cursor());
    await press('Home');
    assert.equal(await spokenAt(), '0:00.000, segment 1, as loud as it gets');
    await press('ArrowRight');
    await press('Shift+ArrowRight');
    assert.match(await spokenAt(), /^0:02\.640, /);
    await press('PageUp');
    await press('PageUp');
    await press('PageUp');
    assert.match(await spokenAt(), /^1:14\.640, segment 2, silent$/);
    await press('Space');
    await player().getByText('Segment 2').waitFor();
    assert.ok(Number(await page.getByRole('slider', { name: 'Position' }).inputValue()) >= 14);
    await press('Space');
    await page.getByRole('button', { name: 'Play segment 2' }).first().waitFor();
    await press('End');
    assert.match(await spokenAt(), /^4:00\.000, segment 4, /);
  });

  test('by keyboard: plus and minus zoom around the cursor, 0 shows all', async () => {
    await press('Home');
    await press('+');
    await press('+');
    assert.equal(await partShown().getAttribute('aria-valuetext'), '0:00 to 1:00');
    await press('End');
    assert.equal(await partShown().getAttribute('aria-valuetext'), '3:00 to 4:00');
    await press('-');
    assert.equal(await partShown().getAttribute('aria-valuetext'), '2:00 to 4:00');
    await press('0');
    await partShown().waitFor({ state: 'hidden' });
    await tabTo(page.getByRole('button', { name: 'Zoom in' }));
    await press('Enter');
    await tabTo(partShown());
    await press('Home');
    assert.equal(await partShown().getAttribute('aria-valuetext'), '0:00 to 2:00');
    await tabTo(page.getByRole('button', { name: 'Show all' }), 'Shift+Tab');
    await press('Enter');
    await partShown().waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Close the player' }).click();
  });

  test('dragging zooms in, in finer detail, and one click shows all again', async () => {
    await page.reload();
    await isDrawn();
    const finer = page.waitForResponse((response) => waveformCall.test(response.url()));
    await pressAt(0.25, 0.5);
    await partShown().waitFor();
    assert.match((await partShown().getAttribute('aria-valuetext')) ?? '', /^(0:59|1:00) to (1:59|2:00)$/);
    assert.equal(await player().count(), 0);
    await finer;
    const [inSilence = 1] = await heightsAt(page, 0.5);
    assert.ok(inSilence < 0.1);
    await inspectPage(page, 'job-waveform-zoomed');
    await page.getByRole('button', { name: 'Show all' }).click();
    await partShown().waitFor({ state: 'hidden' });
  });

  test('by touch: a tap plays, a drag zooms, and dragging up still scrolls', async () => {
    const context = await browser.newContext({
      baseURL: product.baseUrl,
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
      reducedMotion: 'reduce',
      storageState: await visitor.context.storageState(),
    });
    stack.defer(() => context.close());
    const phone = await context.newPage();
    await phone.goto(jobPath);
    await isDrawn(phone);
    const action = await phone.evaluate("getComputedStyle(document.querySelector('.explored')).touchAction");
    assert.equal(action, 'pan-y');
    const box = (await surface(phone).boundingBox()) ?? assert.fail('the waveform is shown');
    const y = box.y + box.height / 2;
    await phone.touchscreen.tap(box.x + 0.9 * box.width, y);
    await player(phone).getByText('Segment 4').waitFor();
    const fingers = await context.newCDPSession(phone);
    const touch = (type: string, share?: number) =>
      fingers.send('Input.dispatchTouchEvent', {
        type: type as 'touchStart',
        touchPoints: share === undefined ? [] : [{ x: box.x + share * box.width, y }],
      });
    await touch('touchStart', 0.1);
    for (const share of [0.15, 0.2, 0.3, 0.4]) await touch('touchMove', share);
    await touch('touchEnd');
    await partShown(phone).waitFor();
    assert.match((await partShown(phone).getAttribute('aria-valuetext')) ?? '', /^0:2\d to 1:3\d$/);
    await context.close();
  });

  test('an error shows in its place, and segments can still be played', async () => {
    const other = await visitor.context.newPage();
    const refuse = (code: string, status: number) => ({
      status,
      contentType: 'application/json',
      body: JSON.stringify([
        {
          error: {
            code: -32004,
            message: 'There is none.',
            data: { code: 'NOT_FOUND', api: { code, status, message: 'There is none.' } },
          },
        },
      ]),
    });
    await other.route(waveformCall, (route) => route.fulfill(refuse('NOT_FOUND', 404)));
    await other.goto(jobPath);
    const section = other.getByRole('region', { name: 'Waveform' });
    await section.getByText('The levels of these segments cannot be drawn').waitFor();
    await inspectPage(other);
    await other.getByRole('button', { name: 'Play segment 2' }).waitFor();
    await other.unroute(waveformCall);
    await other.route(waveformCall, (route) => route.fulfill(refuse('RATE_LIMITED', 429)));
    await other.reload();
    await section.getByRole('alert').getByText('RATE_LIMITED').waitFor();
    await other.unroute(waveformCall);
    await section.getByRole('button', { name: 'Try again' }).click();
    await section.getByRole('alert').waitFor({ state: 'detached' });
    await isDrawn(other);
    await other.close();
  });

  test('a dry run has no files to play: its cuts are drawn on the waveform of its source, which can be zoomed', async () => {
    await goTo(page, 'Split');
    await page.getByLabel('Audio file').setInputFiles(recording);
    await page.getByText('More options').click();
    await page.getByLabel('Dry run only').check();
    await page.getByRole('button', { name: 'Start the dry run' }).click();
    await page.getByText('This was a dry run').waitFor({ timeout: JOB_TIMEOUT_MS });
    await pressAt(0.25, 0.5);
    await partShown().waitFor();
    assert.equal(await player().count(), 0);
  });

  test('no page reported an error or violated the content policy', () => visitor.assertQuiet());
});
