/**
 * Cards through Stripe Elements: a script from another origin that mounts a frame, under the content policy
 * that the gateway sends with Stripe. A test script replaces Stripe's; the sandbox accepts its tokens.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { listen } from '../harness/servers/listen.ts';
import { stackOfFile } from '../harness/stack-of-file.ts';
import { inspectPage } from './inspect-page.ts';
import { openAccountPage } from './open-api.ts';
import { goTo } from './steps.ts';

const SCRIPT = `{
  const origin = new URL(document.currentScript.src).origin;
  globalThis.Stripe = (key) => {
    const handlers = {};
    const frame = document.createElement('iframe');
    const create = (type, { style }) => ({
      on: (event, handle) => { handlers[event] = handle; },
      mount(place) {
        frame.title = 'Secure card payment input frame';
        frame.src = origin + '/frame';
        frame.onload = () => handlers.ready();
        Object.assign(frame.style, { border: 0, width: '100%', height: '24px', colorScheme: 'normal' });
        place.append(frame);
      },
      destroy: () => frame.remove(),
    });
    const createPaymentMethod = () => new Promise((resolve) => {
      addEventListener('message', ({ data }) => resolve(data), { once: true });
      frame.contentWindow.postMessage(key, origin);
    });
    return { elements: () => ({ create }), createPaymentMethod };
  };
}`;
const FRAME = `<!doctype html><html lang="en"><title>Card</title><main><input aria-label="Card number"></main><script>
  addEventListener('message', ({ data: key, source, origin }) => {
    const number = document.querySelector('input').value;
    const isWhole = key === 'pk_test_standin' && number === '4242 4242 4242 4242';
    source.postMessage(
      isWhole ? { paymentMethod: { id: 'tok_visa' } } : { error: { message: 'Your card number is incomplete.' } },
      origin,
    );
  });
</script>`;

const stack = stackOfFile();
let isDown = true;
const standIn = stack.use(
  await listen(({ url }, response) => {
    if (isDown) return response.writeHead(503).end();
    const [type, body] = url === '/stripe.js' ? ['text/javascript', SCRIPT] : ['text/html', FRAME];
    return response.writeHead(200, { 'content-type': type }).end(body);
  }),
);
const stripe = { publishableKey: 'pk_test_standin', scriptUrl: new URL('/stripe.js', standIn.url) };
const { page } = await openAccountPage(stack, 'mia@example.com', { stripe });
const complaints: string[] = [];
page.on('console', (message) => {
  if (/content security|refused to/i.test(message.text())) complaints.push(message.text());
});

describe('a card by Stripe Elements', () => {
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const frame = () => page.frameLocator('iframe[title="Secure card payment input frame"]');

  test("the page reports that Stripe's script cannot be loaded, and a retry works", async () => {
    await page.route('**/billing.get*', async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replaceAll('"isSandbox":true', '"isSandbox":false');
      await route.fulfill({ response, body });
    });
    await goTo(page, 'Billing');
    await button('Add a card').click();
    await page.getByRole('alert').getByText("Stripe's form cannot be loaded.").waitFor();
    assert.equal(await button('Use this card').isDisabled(), true);
    await inspectPage(page, 'billing-stripe-away');
    await button('Cancel').click();
    isDown = false;
  });

  test("a card is entered in Stripe's frame, without a token to paste", async () => {
    await button('Add a card').click();
    await frame().getByLabel('Card number').fill('4242');
    assert.equal(await page.getByLabel('Token of the card').count(), 0);
    await button('Use this card').click();
    await page.getByRole('alert').getByText('Your card number is incomplete.').waitFor();
    await frame().getByLabel('Card number').fill('4242 4242 4242 4242');
    await inspectPage(page, 'billing-stripe');
    await button('Use this card').click();
    await page.getByRole('region', { name: 'Payment method' }).getByText('4242').waitFor();
  });

  test('no page violated the content policy, which allows no other script', async () => {
    assert.deepEqual(complaints, []);
    const outcome = await page.evaluate(
      `new Promise((resolve) => {
        const script = document.createElement('script');
        script.onload = () => resolve('loaded');
        script.onerror = () => resolve('refused');
        script.src = '${standIn.url.replace('127.0.0.1', 'localhost')}/stripe.js';
        document.head.append(script);
      })`,
    );
    assert.equal(outcome, 'refused');
  });
});
