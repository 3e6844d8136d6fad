/**
 * Counts what determines how soon the first page is visible: bytes, round trips, blocking resources, layout
 * shifts. The time itself is only printed, because it depends on the machine.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Request } from 'playwright-core';
import { stackOfFile } from '../harness/stack-of-file.ts';
import { DEVICES, type Device, lighthouseScore } from './lighthouse-score.ts';
import { openAccountPage } from './open-api.ts';
import { openVisitor } from './visitor.ts';

const MAX_BYTES = 80_000;
/** Runs before any of the page's code. */
const OBSERVE = `{
  globalThis.seen = { 'layout-shift': [], 'largest-contentful-paint': [], longtask: [] };
  for (const type of Object.keys(seen))
    new PerformanceObserver((list) => seen[type].push(...list.getEntries())).observe({ type, buffered: true });
}`;
const MEASURE = `(() => {
  const files = performance.getEntriesByType('resource');
  const blocking = files.filter(({ renderBlockingStatus }) => renderBlockingStatus === 'blocking');
  return {
    blocking: blocking.map(({ name }) => new URL(name).pathname),
    firstPaintMs: performance.getEntriesByName('first-contentful-paint')[0].startTime,
    largestPaintMs: seen['largest-contentful-paint'].at(-1).startTime,
    blockedMs: seen.longtask.reduce((sum, { duration }) => sum + duration - 50, 0),
    moved: seen['layout-shift'].flatMap(({ sources }) => sources.map(({ node }) => node?.outerHTML?.slice(0, 120) ?? '')),
    shift: seen['layout-shift'].reduce((sum, { value }) => sum + value, 0),
  };
})()`;

interface Measures {
  readonly moved: readonly string[];
  readonly blocking: readonly string[];
  readonly firstPaintMs: number;
  readonly largestPaintMs: number;
  readonly blockedMs: number;
  readonly shift: number;
}

const { api, browser, visitor } = await openAccountPage(stackOfFile(), 'ada@example.com');

/** The text that appears last. */
const LAST_WORDS = { newcomer: 'Long audio, cut to size.', holder: 'M4A and more, up to 105 MB' } as const;
type Who = keyof typeof LAST_WORDS;

/** Opens it with an empty cache. */
async function openFirstPage(who: Who, device: Device) {
  const { viewport, network, cpuSlowdown } = DEVICES[device];
  const { cookies, origins } = await visitor.context.storageState();
  const storageState = who === 'holder' ? { cookies, origins } : { cookies: [], origins: [] };
  await using opened = await openVisitor(browser, api.url, { viewport, storageState });
  const { page, context } = opened;
  await context.addInitScript(OBSERVE);
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.emulateNetworkConditions', { offline: false, ...network });
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown });
  const requests: Request[] = [];
  page.on('requestfinished', (request) => requests.push(request));
  await page.goto('/');
  await page.getByText(LAST_WORDS[who]).waitFor();
  await page.waitForLoadState('networkidle');
  const sent = await Promise.all(
    requests.map(async (request) => ({ path: pathOf(request), bytes: await bytesOf(request) })),
  );
  const measures = (await page.evaluate(MEASURE)) as Measures;
  opened.assertQuiet();
  return { ...measures, sent, bytes: sent.reduce((sum, { bytes }) => sum + bytes, 0) };
}

const pathOf = (request: Request) => new URL(request.url()).pathname;

async function bytesOf(request: Request): Promise<number> {
  const { responseHeadersSize, responseBodySize } = await request.sizes();
  return responseHeadersSize + responseBodySize;
}

describe('the first page', () => {
  for (const who of ['newcomer', 'holder'] as const) {
    for (const device of ['desk', 'phone'] as const) {
      test(`of a ${who} on a ${device} is small, waits only for its styles, and does not move`, async (context) => {
        const { bytes, sent, blocking, ...metrics } = await openFirstPage(who, device);
        assert.ok(bytes > 0 && bytes <= MAX_BYTES, `${bytes} bytes: ${JSON.stringify(sent)}`);
        assert.equal(blocking.length, 1);
        assert.match(String(blocking), /\.css$/);
        assert.deepEqual(metrics.moved, []);
        const { firstPaintMs, largestPaintMs, blockedMs } = metrics;
        context.diagnostic(
          `${bytes} bytes in ${sent.length} answers; first paint after ${firstPaintMs.toFixed(0)} ms, the largest after ` +
            `${largestPaintMs.toFixed(0)} ms, blocked for ${blockedMs.toFixed(0)} ms: ${lighthouseScore(metrics, device).toFixed(0)} by Lighthouse's scale`,
        );
      });
    }
  }
});
