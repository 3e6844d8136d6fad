/** Draws an invoice as a PDF on A4. Coordinates are in points from the top left corner. */
import PDFDocument from 'pdfkit';
import { formatMoney } from '../plans/money.ts';
import type { Refund } from '../refunds/refund.ts';
import type { AccountHolder } from '../store/accounts.ts';
import { type Names, openNames, STANDARD_FONT } from './draw-names.ts';
import type { Invoice, InvoiceLine, InvoiceStatus } from './invoice.ts';
import { formatDay } from './invoicing.ts';

interface InvoiceDocument {
  readonly invoice: Invoice;
  readonly lines: readonly InvoiceLine[];
  readonly refunds: readonly Refund[];
  readonly holder: AccountHolder | undefined;
  /** Name and address of the operator, one line each. */
  readonly seller: readonly string[];
}

const MARGIN = 56;
const PAGE_WIDTH = 595.28;
const RIGHT = PAGE_WIDTH - MARGIN;
const INNER_WIDTH = RIGHT - MARGIN;
const PARTIES_TOP = 190;
/** Of the invoice's lines, unless the parties need more room. */
const LINES_TOP = 300;
const AMOUNT_WIDTH = 110;
const LINE_WIDTH = INNER_WIDTH - AMOUNT_WIDTH - 20;
const INK = '#1a1d21';
const MUTED = '#5f6770';
const RULE = '#d5d9de';

const STATUS_WORDS: Readonly<Record<InvoiceStatus, string>> = {
  draft: 'Draft',
  open: 'Open',
  paid: 'Paid',
  uncollectible: 'Not collected',
  void: 'Void',
};

/** Returns the whole file. The same input gives the same bytes. */
export async function drawInvoice(input: InvoiceDocument): Promise<Buffer> {
  const { invoice } = input;
  const pdf = new PDFDocument({
    size: 'A4',
    margin: MARGIN,
    info: {
      Title: `Invoice ${invoice.number}`,
      Author: input.seller[0] ?? '',
      CreationDate: invoice.issuedAt,
      ModDate: invoice.paidAt ?? invoice.issuedAt,
    },
  });
  const finished = collect(pdf);
  const buyer = buyerOf(input);
  const reasons = input.refunds.map(({ reason }) => reason);
  const names = await openNames(pdf, [...input.seller, ...buyer, ...reasons]);
  drawHead(pdf, input);
  const bottom = drawParties(pdf, names, input.seller, buyer);
  drawLines(pdf, names, input, Math.max(LINES_TOP, bottom + 24));
  pdf.end();
  return finished;
}

type Pdf = InstanceType<typeof PDFDocument>;

async function collect(pdf: Pdf): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of pdf) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function drawHead(pdf: Pdf, { invoice }: InvoiceDocument): void {
  pdf.font('Helvetica-Bold').fontSize(24).fillColor(INK).text('Invoice', MARGIN, MARGIN);
  const facts: readonly (readonly [string, string])[] = [
    ['Number', invoice.number],
    ['Issued', formatDay(invoice.issuedAt)],
    ['Period', `${formatDay(invoice.periodStart)} to ${formatDay(invoice.periodEnd)}`],
    ['Status', statusOf(invoice)],
  ];
  let y = MARGIN + 44;
  for (const [label, value] of facts) {
    pdf.font(STANDARD_FONT).fontSize(10).fillColor(MUTED).text(label, MARGIN, y);
    pdf.fillColor(INK).text(value, MARGIN + 70, y);
    y += 16;
  }
}

function statusOf({ status, paidAt }: Invoice): string {
  return paidAt === undefined ? STATUS_WORDS[status] : `${STATUS_WORDS[status]} on ${formatDay(paidAt)}`;
}

function buyerOf({ invoice, holder }: InvoiceDocument): readonly string[] {
  const { companyName = '', taxId } = invoice.billedTo;
  const named = [
    companyName,
    holder?.name ?? '',
    holder?.email ?? '',
    taxId === undefined ? '' : `Tax id ${taxId}`,
  ];
  return [...named.filter((line) => line !== ''), `Account ${invoice.accountId}`];
}

/** Returns the y coordinate below both. */
function drawParties(pdf: Pdf, names: Names, seller: readonly string[], buyer: readonly string[]): number {
  const half = INNER_WIDTH / 2;
  const bottoms = [
    drawBlock(pdf, names, 'From', { lines: seller, x: MARGIN, width: half - 20 }),
    drawBlock(pdf, names, 'Billed to', { lines: buyer, x: MARGIN + half, width: half }),
  ];
  return Math.max(...bottoms);
}

function drawBlock(
  pdf: Pdf,
  names: Names,
  title: string,
  { lines, x, width }: { readonly lines: readonly string[]; readonly x: number; readonly width: number },
): number {
  pdf.font(STANDARD_FONT).fontSize(9).fillColor(MUTED).text(title, x, PARTIES_TOP, { width });
  pdf.fontSize(10).fillColor(INK);
  for (const line of lines) names.draw(line, x, width);
  return pdf.y;
}

function drawLines(pdf: Pdf, names: Names, { invoice, lines, refunds }: InvoiceDocument, top: number): void {
  let y = top;
  pdf.font(STANDARD_FONT).fontSize(9).fillColor(MUTED).text('Description', MARGIN, y);
  drawAmount(pdf, 'Amount', y);
  y = drawRule(pdf, y + 16);
  pdf.fontSize(10).fillColor(INK);
  for (const line of lines) y = drawLine(pdf, line, invoice.currency, y);
  pdf.fillColor(MUTED).text('Tax', MARGIN, y);
  drawAmount(pdf, 'none', y);
  y += 20;
  pdf.font('Helvetica-Bold').fontSize(12).fillColor(INK).text('Total', MARGIN, y);
  drawAmount(pdf, formatMoney(invoice.amountCents, invoice.currency), y);
  drawRefunds(pdf, names, { invoice, refunds }, y + 32);
}

function drawRefunds(
  pdf: Pdf,
  names: Names,
  { invoice: { amountCents, currency }, refunds }: Pick<InvoiceDocument, 'invoice' | 'refunds'>,
  top: number,
): void {
  const counted = refunds.filter(({ state }) => state !== 'failed');
  if (counted.length === 0) return;
  let y = drawRule(pdf, top);
  for (const refund of counted) {
    pdf.font(STANDARD_FONT).fontSize(10).fillColor(INK);
    y = withRoom(pdf, y, names.heightOf(refund.reason, LINE_WIDTH) + 20);
    drawAmount(pdf, formatMoney(-refund.amountCents, currency), y);
    pdf.text(`Refund of ${formatDay(refund.createdAt)}`, MARGIN, y, { width: LINE_WIDTH });
    names.draw(refund.reason, MARGIN, LINE_WIDTH);
    y = drawRule(pdf, pdf.y + 8);
  }
  const left = counted.reduce((sum, refund) => sum - refund.amountCents, amountCents);
  pdf.font('Helvetica-Bold').fontSize(12).fillColor(INK).text('Total after refunds', MARGIN, y);
  drawAmount(pdf, formatMoney(left, currency), y);
}

function drawLine(
  pdf: Pdf,
  { description, amountCents }: InvoiceLine,
  currency: string,
  top: number,
): number {
  const height = pdf.heightOfString(description, { width: LINE_WIDTH });
  const y = withRoom(pdf, top, height);
  pdf.text(description, MARGIN, y, { width: LINE_WIDTH });
  drawAmount(pdf, formatMoney(amountCents, currency), y);
  return drawRule(pdf, y + height + 8);
}

/** The given position, or the top of the next page if this one is full. */
function withRoom(pdf: Pdf, y: number, height: number): number {
  if (y + height <= pdf.page.height - MARGIN - 80) return y;
  pdf.addPage();
  return MARGIN;
}

function drawAmount(pdf: Pdf, text: string, y: number): void {
  pdf.text(text, RIGHT - AMOUNT_WIDTH, y, { width: AMOUNT_WIDTH, align: 'right' });
}

/** Returns the y coordinate at which to continue. */
function drawRule(pdf: Pdf, y: number): number {
  pdf.moveTo(MARGIN, y).lineTo(RIGHT, y).lineWidth(0.5).strokeColor(RULE).stroke();
  return y + 8;
}
