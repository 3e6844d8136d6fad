/** What most suites begin with. */

import type { Env } from '@audiosplit/chassis/process/env';
import type { Browser, Page } from 'playwright-core';
import type { Product } from '../harness/installation/as-a-user/product.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';
import { launchChromium } from './chromium.ts';
import { openVisitor, type Visitor } from './visitor.ts';

export interface OpenProduct {
  readonly product: Product;
  readonly browser: Browser;
  readonly visitor: Visitor;
  readonly page: Page;
}

/** `npm start`, Chromium, and somebody who has not been here before. All of it ends with the stack. */
export async function openProduct(
  stack: AsyncDisposableStack,
  options: { readonly env?: Env } = {},
): Promise<OpenProduct> {
  const product = stack.use(await startInstallation({ kind: 'as-a-user', ...options }));
  const browser = stack.adopt(await launchChromium(process.env), (each) => each.close());
  const visitor = stack.use(await openVisitor(browser, product.baseUrl));
  return { product, browser, visitor, page: visitor.page };
}
