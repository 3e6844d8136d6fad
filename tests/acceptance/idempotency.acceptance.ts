/** Repeats of a request with the same Idempotency-Key. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { CallOptions } from '@audiosplit/client';
import { assertRefuses, register, registerWithKey, sampleBy } from './api.ts';
import { onSharedProduct } from './scenario.ts';

const scenario = onSharedProduct();

// Covers D-2.44 D-2.45 D-2.46
scenario(
  'a repeated creation returns the first response, and creates one job',
  { covers: ['POST /api/v1/splits'] },
  async (product) => {
    const { client } = await registerWithKey(product);
    const answers: [status: number, isReplay: boolean][] = [];
    const options: CallOptions = {
      idempotencyKey: randomUUID(),
      onResponse: ({ status, isReplay }) => answers.push([status, isReplay]),
    };
    const request = sampleBy(product, 20);
    const first = await client.createSplit(request, options);
    assert.deepEqual(await client.createSplit(request, options), first);
    assert.deepEqual(answers, [
      [201, false],
      [201, true],
    ]);
    await assertRefuses(client.createSplit(sampleBy(product, 21), options), 422, 'IDEMPOTENCY_KEY_REUSED');
    const tooLong = { idempotencyKey: 'x'.repeat(256) };
    await assertRefuses(client.createSplit(request, tooLong), 400, 'INVALID_PARAMS');
    assert.equal((await client.listSplits()).pagination.total, 1);
  },
);

scenario(
  'a repeated subscription or upgrade charges once and returns the same response',
  { covers: ['POST /api/v1/billing/subscribe', 'POST /api/v1/billing/change-plan'] },
  async (product) => {
    const { client } = await register(product);
    await client.setPaymentMethod({ token: 'tok_visa' });
    const subscribe = () => client.subscribe({ planId: 'plan_starter' }, { idempotencyKey: 'subscribe' });
    assert.deepEqual(await subscribe(), await subscribe());
    const upgrade = () => client.changePlan({ planId: 'plan_pro' }, { idempotencyKey: 'upgrade' });
    assert.deepEqual(await upgrade(), await upgrade());
    assert.equal((await client.listInvoices()).data.length, 2);
  },
);
