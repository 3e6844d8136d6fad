/** Keeps every invoice's PDF in the object store, drawn anew whenever the invoice has changed. */
import { Readable } from 'node:stream';
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import type { Pool } from '@audiosplit/chassis/postgres/pool';
import { type Invoice, invoiceObjectKey } from './invoice.ts';
import { drawInvoice } from './invoice-pdf.ts';
import { readAccount } from './store/accounts.ts';
import { listUndrawnInvoices, markDrawn, readInvoiceLines } from './store/invoices.ts';

export interface InvoiceFiles {
  /** Makes sure that the PDFs of these invoices say what the invoices say. */
  refresh(invoices: readonly Invoice[]): Promise<void>;
  /** Draws whatever is left to draw. */
  refreshAll(): Promise<void>;
}

export interface InvoiceFilesOptions {
  readonly pool: Pool;
  readonly openStore: () => Promise<ObjectStore>;
  readonly seller: readonly string[];
}

const BATCH = 100;

export function createInvoiceFiles({ pool, openStore, seller }: InvoiceFilesOptions): InvoiceFiles {
  const draw = async (invoice: Invoice) => {
    const lines = await readInvoiceLines(pool, invoice.id);
    const { holder } = await readAccount(pool, invoice.accountId);
    const pdf = await drawInvoice({ invoice, lines, holder, seller });
    const store = await openStore();
    await store.put(invoiceObjectKey(invoice), Readable.from([pdf]), { contentType: 'application/pdf' });
    // Another change meanwhile leaves the invoice to be drawn again.
    await markDrawn(pool, invoice.id, invoice.revision);
  };
  return {
    async refresh(invoices) {
      for (const invoice of invoices) if (invoice.drawnRevision < invoice.revision) await draw(invoice);
    },
    async refreshAll() {
      for (;;) {
        const undrawn = await listUndrawnInvoices(pool, BATCH);
        for (const invoice of undrawn) await draw(invoice);
        if (undrawn.length < BATCH) return;
      }
    },
  };
}
