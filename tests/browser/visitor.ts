/** A user at the browser: every opened page is watched for errors. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { showOnFailure } from './failed-page.ts';

export type Visitor = Awaited<ReturnType<typeof openVisitor>>;

/** For the page's own actions; the machine may be busy. */
const TIMEOUT_MS = 30_000;

export const WIDE = { width: 1280, height: 860 };
export const NARROW = { width: 390, height: 844 };

export async function openVisitor(
  browser: Browser,
  baseUrl: string,
  options: Pick<BrowserContextOptions, 'viewport' | 'storageState'> = {},
) {
  const context = await browser.newContext({
    baseURL: baseUrl,
    viewport: WIDE,
    acceptDownloads: true,
    colorScheme: 'light',
    reducedMotion: 'reduce',
    ...options,
  });
  context.setDefaultTimeout(TIMEOUT_MS);
  const page = await context.newPage();
  showOnFailure(page);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // The console also logs a refusal that a test provokes.
    const isRefusal = /the server responded with a status of 4\d\d/.test(message.text());
    if (message.type() === 'error' && !isRefusal) complaints.push(message.text());
  });
  return {
    page,
    context,
    /** Throws if the page or its content policy has reported an error. */
    assertQuiet: () => assert.deepEqual(complaints, []),
    [Symbol.asyncDispose]: () => context.close(),
  };
}

const axeSource = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type AxeViolations = readonly {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly target: readonly unknown[]; readonly failureSummary?: string }[];
}[];

/** The axe rules that check colours. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** Checks WCAG 2.2 AA and axe's own best practices; throws on a finding. */
export async function assertAccessible(page: Page, rules: 'all' | 'of colours' = 'all'): Promise<void> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(await axeSource);
  // Passed rules are not listed, because the list takes longer than the rules.
  const options = {
    resultTypes: ['violations'],
    ...(rules === 'all' ? {} : { runOnly: { type: 'rule', values: COLOUR_RULES } }),
  };
  const violations = (await page.evaluate(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations)`,
  )) as AxeViolations;
  const findings = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help} at ${target.join(' ')}: ${failureSummary}`),
  );
  assert.deepEqual(findings, []);
}
