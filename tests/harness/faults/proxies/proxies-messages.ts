/** What the proxies' thread and its owner exchange. */
import type { ObjectStoreFault } from './object-store-proxy.ts';

export interface Upstreams {
  readonly database: { readonly host: string; readonly port: number };
  readonly storeUrl: string;
}

/** What the thread can be asked for. */
export type Order =
  | { readonly kind: 'lose next commit'; readonly application: string; readonly timeoutMs: number }
  | { readonly kind: 'break store'; readonly fault: ObjectStoreFault }
  | { readonly kind: 'store hits' }
  | { readonly kind: 'mend store' };

export interface NumberedOrder {
  readonly number: number;
  readonly order: Order;
}

export type Answer =
  | { readonly number: number; readonly result: unknown }
  | { readonly number: number; readonly failure: string };

export interface Ready {
  readonly databasePort: number;
  readonly storeUrl: string;
}
