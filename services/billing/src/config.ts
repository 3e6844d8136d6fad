import { type Env, integer, text } from '@audiosplit/chassis/env';

export interface BillingConfig {
  readonly maxDatabaseConnections: number;
  /** Name and address on invoices, a line each. */
  readonly invoiceSeller: readonly string[];
}

/**
 * Variables: DATABASE_MAX_CONNECTIONS, INVOICE_SELLER (who issues the invoices: name and address, the lines separated
 * by `|`). Throws ConfigError.
 */
export function readBillingConfig(env: Env): BillingConfig {
  const seller = text(env, 'INVOICE_SELLER', 'audiosplit').split('|');
  return {
    maxDatabaseConnections: integer(env, 'DATABASE_MAX_CONNECTIONS', 10, 4, 200),
    invoiceSeller: seller.map((line) => line.trim()).filter((line) => line !== ''),
  };
}
