/** Draws an invoice as a PDF on A4. Coordinates are in points from the top left corner. */
import PDFDocument from 'pdfkit';
import { formatMoney } from '../plans/money.ts';
import type { AccountHolder } from '../store/accounts.ts';
import type { Invoice, InvoiceLine, InvoiceStatus } from './invoice.ts';
import { formatDay } from './invoicing.ts';

interface InvoiceDocument {
  readonly invoice: Invoice;
  readonly lines: readonly InvoiceLine[];
  readonly holder: AccountHolder | undefined;
  /** Name and address of the operator, one line each. */
  readonly seller: readonly string[];
}

const MARGIN = 56;
const PAGE_WIDTH = 595.28;
const RIGHT = PAGE_WIDTH - MARGIN;
const INNER_WIDTH = RIGHT - MARGIN;
const AMOUNT_WIDTH = 110;
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
  drawHead(pdf, input);
  drawParties(pdf, input);
  drawLines(pdf, input);
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
    pdf.font('Helvetica').fontSize(10).fillColor(MUTED).text(label, MARGIN, y);
    pdf.fillColor(INK).text(value, MARGIN + 70, y);
    y += 16;
  }
}

function statusOf({ status, paidAt }: Invoice): string {
  return paidAt === undefined ? STATUS_WORDS[status] : `${STATUS_WORDS[status]} on ${formatDay(paidAt)}`;
}

function drawParties(pdf: Pdf, { invoice, holder, seller }: InvoiceDocument): void {
  const half = INNER_WIDTH / 2;
  const top = 190;
  drawBlock(pdf, 'From', seller, MARGIN, top, half - 20);
  const { companyName = '', taxId } = invoice.billedTo;
  const buyer = [
    companyName,
    holder?.name ?? '',
    holder?.email ?? '',
    taxId === undefined ? '' : `Tax id ${taxId}`,
  ];
  const lines = buyer.filter((line) => line !== '').map(printable);
  drawBlock(pdf, 'Billed to', [...lines, `Account ${invoice.accountId}`], MARGIN + half, top, half);
}

function drawBlock(
  pdf: Pdf,
  title: string,
  lines: readonly string[],
  x: number,
  y: number,
  width: number,
): void {
  pdf.font('Helvetica').fontSize(9).fillColor(MUTED).text(title, x, y, { width });
  pdf.fontSize(10).fillColor(INK);
  for (const line of lines) pdf.text(line, x, pdf.y + 3, { width });
}

function drawLines(pdf: Pdf, { invoice, lines }: InvoiceDocument): void {
  let y = 300;
  pdf.font('Helvetica').fontSize(9).fillColor(MUTED).text('Description', MARGIN, y);
  drawAmount(pdf, 'Amount', y);
  y = drawRule(pdf, y + 16);
  pdf.fontSize(10).fillColor(INK);
  for (const line of lines) {
    const width = INNER_WIDTH - AMOUNT_WIDTH - 20;
    const height = pdf.heightOfString(line.description, { width });
    if (y + height > pdf.page.height - MARGIN - 80) {
      pdf.addPage();
      y = MARGIN;
    }
    pdf.text(line.description, MARGIN, y, { width });
    drawAmount(pdf, formatMoney(line.amountCents, invoice.currency), y);
    y = drawRule(pdf, y + height + 8);
  }
  pdf.fillColor(MUTED).text('Tax', MARGIN, y);
  drawAmount(pdf, 'none', y);
  y += 20;
  pdf.font('Helvetica-Bold').fontSize(12).fillColor(INK).text('Total', MARGIN, y);
  drawAmount(pdf, formatMoney(invoice.amountCents, invoice.currency), y);
}

function drawAmount(pdf: Pdf, text: string, y: number): void {
  pdf.text(text, RIGHT - AMOUNT_WIDTH, y, { width: AMOUNT_WIDTH, align: 'right' });
}

/** Returns the y coordinate at which to continue. */
function drawRule(pdf: Pdf, y: number): number {
  pdf.moveTo(MARGIN, y).lineTo(RIGHT, y).lineWidth(0.5).strokeColor(RULE).stroke();
  return y + 8;
}

/** The standard fonts cover Latin-1. Other characters become `?` instead of a wrong letter. */
function printable(text: string): string {
  return text.normalize('NFC').replace(/[^\u0020-\u007e\u00a0-\u00ff]/gu, '?');
}
