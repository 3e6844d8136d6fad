/** A person at the browser: every page that is opened is watched for what must not happen. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';

export type Visitor = Awaited<ReturnType<typeof openVisitor>>;

/** For what the page does by itself; the machine may be busy. */
const TIMEOUT_MS = 30_000;

export async function openVisitor(browser: Browser, baseUrl: string) {
  const context = await browser.newContext({
    baseURL: baseUrl,
    viewport: { width: 1280, height: 860 },
    acceptDownloads: true,
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(TIMEOUT_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // The console shows a refusal that a test provokes, too.
    const isRefusal = /the server responded with a status of 4\d\d/.test(message.text());
    if (message.type() === 'error' && !isRefusal) complaints.push(message.text());
  });
  return {
    page,
    context,
    /** Throws where the page has complained, or its content policy has. */
    assertQuiet: () => assert.deepEqual(complaints, []),
    [Symbol.asyncDispose]: () => context.close(),
  };
}

const axeSource = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly target: readonly unknown[]; readonly failureSummary?: string }[];
  }[];
}

/** WCAG 2.2 AA and axe's own good practice, without a finding. */
export async function assertAccessible(page: Page): Promise<void> {
  await page.evaluate(await axeSource);
  const { violations } = (await page.evaluate('axe.run()')) as AxeResult;
  const findings = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help} at ${target.join(' ')}: ${failureSummary}`),
  );
  assert.deepEqual(findings, []);
}
