import type { Env } from '@audiosplit/chassis/process/env';
import { startInstallation } from '../harness/installation/start-installation.ts';
import { openBrowser } from './chromium.ts';
import { openVisitor } from './visitor.ts';

/** `npm start`, Chromium, and a first-time visitor. Everything ends with the stack. */
export async function openProduct(stack: AsyncDisposableStack, options: { readonly env?: Env } = {}) {
  const product = stack.use(await startInstallation({ kind: 'as-a-user', ...options }));
  const browser = await openBrowser(stack);
  const visitor = stack.use(await openVisitor(browser, product.baseUrl));
  return { product, browser, visitor, page: visitor.page };
}
