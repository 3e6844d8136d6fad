/** What most suites begin with. */
import type { Browser, Page } from 'playwright-core';
import { type Product, type ProductOptions, startProduct } from '../harness/product/product.ts';
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
  options: ProductOptions = {},
): Promise<OpenProduct> {
  const product = stack.use(await startProduct(options));
  const browser = stack.adopt(await launchChromium(process.env), (each) => each.close());
  const visitor = stack.use(await openVisitor(browser, product.baseUrl));
  return { product, browser, visitor, page: visitor.page };
}
