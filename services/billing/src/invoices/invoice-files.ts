/** Keeps each invoice's PDF in the object store, and redraws it when the invoice changes. */
import { Readable } from 'node:stream';
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import type { Pool } from '@audiosplit/chassis/postgres/pool';
import type { Logger } from '@audiosplit/chassis/process/log';
import { readAccount } from '../store/accounts.ts';
import { listUndrawnInvoices, markDrawn, readInvoiceLines } from '../store/invoices.ts';
import { listRefunds } from '../store/refunds.ts';
import { type Invoice, invoiceObjectKey } from './invoice.ts';
import { drawInvoice } from './invoice-pdf.ts';

export interface InvoiceFiles {
  /** Redraws changed invoices. One that fails is retried later. */
  refresh(invoices: readonly Invoice[]): Promise<void>;
  /** Redraws all outdated invoices, until `stopping` aborts. */
  refreshAll(stopping?: AbortSignal): Promise<void>;
}

export interface InvoiceFilesOptions {
  readonly pool: Pool;
  readonly openStore: () => Promise<ObjectStore>;
  readonly seller: readonly string[];
  readonly log: Logger;
  /** Default: draws a PDF. */
  readonly draw?: typeof drawInvoice | undefined;
}

const BATCH = 100;

export function createInvoiceFiles({
  pool,
  openStore,
  seller,
  log,
  draw = drawInvoice,
}: InvoiceFilesOptions): InvoiceFiles {
  const refreshOne = async (invoice: Invoice) => {
    const lines = await readInvoiceLines(pool, invoice.id);
    const { holder } = await readAccount(pool, invoice.accountId);
    const refunds = (await listRefunds(pool, [invoice.id])).get(invoice.id) ?? [];
    const pdf = await draw({ invoice, lines, refunds, holder, seller });
    const store = await openStore();
    const objectKey = invoiceObjectKey(invoice);
    await store.put(objectKey, Readable.from([pdf]), { contentType: 'application/pdf' });
    // The next run draws a newer revision. If the invoice has been purged meanwhile, its file must be deleted
    // too.
    if (!(await markDrawn(pool, invoice.id, invoice.revision))) await store.delete([objectKey]);
  };
  const drawAll = async (invoices: readonly Invoice[], stopping?: AbortSignal) => {
    for (const invoice of invoices) {
      if (stopping?.aborted) return;
      await refreshOne(invoice).catch((error: unknown) => {
        log.error({ err: error, invoiceId: invoice.id }, 'an invoice could not be drawn');
      });
    }
  };
  return {
    refresh: (invoices) =>
      drawAll(invoices.filter(({ drawnRevision, revision }) => drawnRevision < revision)),
    async refreshAll(stopping) {
      let last: Invoice | undefined;
      do {
        const undrawn = await listUndrawnInvoices(pool, last?.id ?? '', BATCH);
        await drawAll(undrawn, stopping);
        last = undrawn.at(-1);
      } while (last !== undefined && !stopping?.aborted);
    },
  };
}
