/** The visible text of an invoice's PDF. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inflateSync } from 'node:zlib';
import { drawInvoice } from './invoice-pdf.ts';

/** The text of a PDF's pages: its content streams hold it as hexadecimal strings, kerning between them. */
function textOf(pdf: Buffer): string {
  const lines: string[] = [];
  let at = 0;
  for (;;) {
    const start = pdf.indexOf('stream\n', at);
    if (start < 0) return lines.join('\n');
    const end = pdf.indexOf('endstream', start);
    at = end + 'endstream'.length;
    const content = inflated(pdf.subarray(start + 'stream\n'.length, end));
    for (const [, shown = ''] of content.matchAll(/\[([^\]]*)\] TJ/g)) {
      const hex = Array.from(shown.matchAll(/<([0-9a-f]*)>/g), ([, part]) => part).join('');
      lines.push(Buffer.from(hex, 'hex').toString('latin1'));
    }
  }
}

function inflated(bytes: Buffer): string {
  try {
    return inflateSync(bytes).toString('latin1');
  } catch {
    return '';
  }
}

// Covers D-5.9
test('number, period, both sides, every line, the total without tax, and that it is paid', async () => {
  const at = (day: string) => new Date(`${day}T09:26:53Z`);
  const pdf = await drawInvoice({
    invoice: {
      id: 'inv_1',
      accountId: 'acc_1',
      subscriptionId: 'sub_1',
      number: 'INV-202604-000042',
      status: 'paid',
      amountCents: 1_100,
      currency: 'usd',
      periodStart: at('2026-04-14'),
      periodEnd: at('2026-05-14'),
      issuedAt: at('2026-04-14'),
      paidAt: at('2026-04-15'),
      chargeAttempts: 1,
      nextChargeAt: undefined,
      revision: 1,
      drawnRevision: 0,
      billedTo: { companyName: 'Löwe & Töchter GmbH', taxId: 'DE123456789' },
    },
    lines: [
      { description: 'Starter', amountCents: 900 },
      { description: '100 minutes beyond the plan', amountCents: 200 },
    ],
    holder: { email: 'ada@example.com', name: 'Ada Löwe' },
    seller: ['Audio Ltd'],
  });
  assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
  const lines = textOf(pdf).split('\n');
  for (const expected of [
    'INV-202604-000042',
    '14 April 2026 to 14 May 2026',
    'Paid on 15 April 2026',
    'Audio Ltd',
    'Löwe & Töchter GmbH',
    'Tax id DE123456789',
    'Ada Löwe',
    'ada@example.com',
    'Starter',
    '$9.00',
    '100 minutes beyond the plan',
    '$2.00',
    'Tax',
    'none',
    'Total',
    '$11.00',
  ]) {
    assert.ok(lines.includes(expected), `${expected}: ${lines.join(' | ')}`);
  }
});
