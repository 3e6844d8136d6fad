/** The visible text of an invoice's PDF. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { RefundState } from '../refunds/refund.ts';
import { drawInvoice } from './invoice-pdf.ts';
import { runsOf, textOf } from './pdf-text.fixture.ts';

type Input = Parameters<typeof drawInvoice>[0];

const at = (day: string) => new Date(`${day}T09:26:53Z`);

function aRefund(state: RefundState, amountCents: number, reason: string): Input['refunds'][number] {
  return {
    id: `rfd_${amountCents}`,
    accountId: 'acc_1',
    invoiceId: 'inv_1',
    state,
    amountCents,
    currency: 'usd',
    reason,
    requestKey: undefined,
    providerChargeId: 'pi_1',
    providerRefundId: `re_${amountCents}`,
    providerAnswers: 0,
    createdAt: at('2026-04-16'),
  };
}

function anInvoice(
  billedTo: Input['invoice']['billedTo'] = { companyName: 'Löwe & Töchter GmbH', taxId: 'DE123456789' },
): Input {
  return {
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
      billedTo,
    },
    lines: [
      { description: 'Starter', amountCents: 900 },
      { description: '100 minutes beyond the plan', amountCents: 200 },
    ],
    refunds: [],
    holder: { email: 'ada@example.com', name: 'Ada Löwe' },
    seller: ['Audio Ltd'],
  };
}

// Covers D-5.9
test('shows number, period, both parties, every line, the total without tax, and that it is paid', async () => {
  const pdf = await drawInvoice(anInvoice());
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

test('shows the refunded amount, its reason in its own script, and the remaining amount', async () => {
  const refunds = [
    aRefund('succeeded', 300, 'Δύο ώρες'),
    aRefund('failed', 200, 'Nothing came of it'),
    aRefund('pending', 150, 'One more hour'),
  ];
  const lines = textOf(await drawInvoice({ ...anInvoice(), refunds })).split('\n');
  for (const expected of [
    'Refund of 16 April 2026',
    'Δύο ώρες',
    '-$3.00',
    'One more hour',
    '-$1.50',
    'Total after refunds',
    '$6.50',
  ]) {
    assert.ok(lines.includes(expected), `${expected}: ${lines.join(' | ')}`);
  }
  assert.ok(!lines.includes('Nothing came of it'));
});

for (const companyName of [
  'Αφοί Παπαδόπουλοι Α.Ε. — Ἀθῆναι',
  'ТОВ «Українська студія» Ґанок',
  'Łódź Dźwięk Sp. z o.o.',
  'Công ty Âm thanh Việt Nam',
  'O‘zbekiston “Ovoz” MChJ',
  '株式会社ソニー・ミュージック',
  '𠮷野家 髙島屋',
  '腾讯科技（深圳）有限公司',
  '臺灣積體電路製造',
  '㈜한국음향 三星電子',
]) {
  test(`a company name in its own script: ${companyName}`, async () => {
    const text = textOf(await drawInvoice(anInvoice({ companyName, taxId: 'EL123456789' })));
    assert.ok(text.replaceAll('\n', '').includes(companyName), text);
    assert.ok(text.split('\n').includes('Tax id EL123456789'));
  });
}

test('right-to-left text is ordered correctly, including numbers, brackets and Latin words', async () => {
  const shown = async (companyName: string) =>
    textOf(await drawInvoice(anInvoice({ companyName, taxId: undefined }))).replaceAll('\n', '');
  const hebrew = await shown('קול (2026) בע"מ Sound Ltd');
  assert.ok(hebrew.includes('Sound Ltd מ"עב (2026) לוק'), hebrew);
  const arabic = await shown('شركة (۱۲۳) نور');
  assert.ok(arabic.includes('رون (۱۲۳) ةكرش'), arabic);
});

test('Arabic letters are joined: lam and alef form one glyph', async () => {
  const text = textOf(await drawInvoice(anInvoice({ companyName: 'بلا', taxId: undefined })));
  assert.ok(text.split('\n').includes('لاب'), text);
});

test('ideographs use the Japanese font, unless it lacks a character of the name', async () => {
  for (const [companyName, family] of [
    ['東京電力', 'NotoSansJP'],
    ['腾讯科技', 'NotoSansSC'],
    ['한국三星', 'NotoSansKR'],
  ] as const) {
    const pdf = await drawInvoice(anInvoice({ companyName, taxId: undefined }));
    const families = Array.from(pdf.toString('latin1').matchAll(/\+(NotoSans[A-Z]{2})/g), ([, name]) => name);
    assert.deepEqual([...new Set(families)], [family]);
    assert.ok(pdf.length < 40_000, `${pdf.length} bytes: only the characters that are used are embedded`);
  }
});

test('a name wider than its column is wrapped, also within a word, and moves the following lines down', async () => {
  for (const companyName of [
    'ソニー・ミュージック'.repeat(25),
    'شركة النور للإنتاج '.repeat(12).trim(),
    'Ω'.repeat(255),
  ]) {
    const runs = runsOf(await drawInvoice(anInvoice({ companyName, taxId: 'DE123456789' })));
    const named = runs.slice(
      runs.findIndex(({ text }) => text === 'Billed to') + 1,
      runs.findIndex(({ text }) => text === 'Ada Löwe'),
    );
    const letters = (text: string) => Array.from(text.replace(/\s/g, '')).sort().join('');
    assert.equal(letters(named.map(({ text }) => text).join('')), letters(companyName));
    assert.ok(new Set(named.map(({ y }) => y)).size > 3, 'several lines');
    assert.ok(
      named.every(({ x }) => x < 539),
      'within the margin',
    );
    const below = ['Ada Löwe', 'Tax id DE123456789', 'Description'];
    const heights = below.map((line) => runs.find(({ text }) => text === line)?.y ?? Number.NaN);
    const lowest = Math.min(...named.map(({ y }) => y));
    assert.deepEqual(
      [lowest, ...heights],
      [lowest, ...heights].sort((a, b) => b - a),
    );
  }
});

test('a character without a glyph is drawn as a question mark, never as a wrong letter', async () => {
  const companyName = 'Ω 😀ꀀ 東 \u202eevil';
  const text = textOf(await drawInvoice(anInvoice({ companyName, taxId: undefined })));
  assert.ok(text.replaceAll('\n', '').includes('Ω ?? 東 ?evil'), text);
});

test('any name can be drawn on an invoice', async () => {
  const blocks = [
    0x20, 0x250, 0x300, 0x370, 0x400, 0x590, 0x600, 0x900, 0x2000, 0x3040, 0x4e00, 0xac00, 0x1f600,
  ];
  const character = fc
    .tuple(fc.constantFrom(...blocks), fc.nat(0xff))
    .map(([block, offset]) => String.fromCodePoint(block + offset));
  const name = fc.string({ unit: character, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(fc.array(name, { minLength: 5, maxLength: 10 }), async (seller) => {
      const lines = textOf(await drawInvoice({ ...anInvoice(), seller })).split('\n');
      assert.ok(lines.includes('$11.00'));
    }),
    { numRuns: 5 },
  );
});

test('the same invoice produces the same bytes, with embedded fonts as well', async () => {
  const input = anInvoice({ companyName: 'ООО 東京', taxId: undefined });
  assert.ok((await drawInvoice(input)).equals(await drawInvoice(input)));
});
