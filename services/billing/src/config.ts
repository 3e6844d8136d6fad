import {
  ConfigError,
  type Env,
  integer,
  oneOf,
  optionalText,
  optionalUrl,
  text,
} from '@audiosplit/chassis/process/env';

export interface BillingConfig {
  readonly maxDatabaseConnections: number;
  /** Name and address on invoices, a line each. */
  readonly invoiceSeller: readonly string[];
  readonly payment: PaymentConfig;
}

export type PaymentConfig =
  | { readonly provider: 'sandbox' }
  | {
      readonly provider: 'stripe';
      readonly secretKey: string;
      readonly webhookSecret: string;
      /** Undefined: Stripe's own address. */
      readonly apiBase: URL | undefined;
    };

/**
 * Variables: DATABASE_MAX_CONNECTIONS, INVOICE_SELLER (name and address of the issuer, lines separated by `|`),
 * PAYMENT_PROVIDER (`sandbox` or `stripe`). For Stripe: STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET and, for tests against
 * a fake, STRIPE_API_BASE. Throws ConfigError.
 */
export function readBillingConfig(env: Env): BillingConfig {
  const seller = text(env, 'INVOICE_SELLER', 'audiosplit').split('|');
  return {
    maxDatabaseConnections: integer(env, 'DATABASE_MAX_CONNECTIONS', 10, 4, 200),
    invoiceSeller: seller.map((line) => line.trim()).filter((line) => line !== ''),
    payment: readPaymentConfig(env),
  };
}

function readPaymentConfig(env: Env): PaymentConfig {
  const provider = oneOf(env, 'PAYMENT_PROVIDER', ['sandbox', 'stripe'], 'sandbox');
  if (provider === 'sandbox') return { provider };
  const secretKey = stripeSecret(
    env,
    'STRIPE_SECRET_KEY',
    /^(sk|rk)_(test|live)_\w+$/,
    'a secret or restricted key of Stripe: sk_test_…, sk_live_…, rk_test_… or rk_live_…',
  );
  const webhookSecret = stripeSecret(
    env,
    'STRIPE_WEBHOOK_SECRET',
    /^whsec_[\w+/=]+$/,
    'the signing secret of the webhook endpoint in Stripe: whsec_…',
  );
  return { provider, secretKey, webhookSecret, apiBase: readApiBase(env, secretKey) };
}

function readApiBase(env: Env, secretKey: string): URL | undefined {
  const apiBase = optionalUrl(env, 'STRIPE_API_BASE', ['http', 'https']);
  if (apiBase === undefined) return undefined;
  const isBare = apiBase.href === `${apiBase.origin}/`;
  const isTestKey = secretKey.includes('_test_');
  if (isBare && (isTestKey || apiBase.protocol === 'https:')) return apiBase;
  throw new ConfigError(
    'STRIPE_API_BASE',
    isBare ? apiBase.href : '(hidden)',
    'https://host:port without a path; http:// with a test key only',
  );
}

/** The error never shows the value. */
function stripeSecret(env: Env, variable: string, form: RegExp, allowed: string): string {
  const value = optionalText(env, variable);
  if (value !== undefined && form.test(value)) return value;
  throw new ConfigError(variable, value === undefined ? undefined : '(hidden)', allowed);
}
