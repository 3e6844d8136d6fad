import { ConfigError, type Env } from '@audiosplit/chassis/process/env';
import { maxDatabaseConnections } from '@audiosplit/chassis/process/process-config';
import {
  type Description,
  oneOf,
  parsed,
  readSettings,
  text,
  url,
} from '@audiosplit/chassis/process/settings';

const OWN_SETTINGS = {
  DATABASE_MAX_CONNECTIONS: maxDatabaseConnections(4),
  INVOICE_SELLER: text({
    what: 'name and address of the seller on invoices, lines separated by a vertical bar',
    default: 'audiosplit',
    chart: 'payments.invoiceSeller',
  }),
  PAYMENT_PROVIDER: oneOf(['sandbox', 'stripe'], {
    what: '`sandbox` moves no money; `stripe` charges cards',
    default: 'sandbox',
    chart: 'payments.provider',
  }),
};

const STRIPE_SETTINGS = {
  STRIPE_SECRET_KEY: stripeSecret(
    {
      what: 'with `stripe`: a secret or restricted key',
      shownDefault: 'none',
      isRequired: true,
      isSecret: true,
      chart: 'payments.stripe.secretKeyKey',
    },
    /^(sk|rk)_(test|live)_\w+$/,
    'a secret or restricted key of Stripe: sk_test_…, sk_live_…, rk_test_… or rk_live_…',
  ),
  STRIPE_WEBHOOK_SECRET: stripeSecret(
    {
      what: 'with `stripe`: the signing secret of the endpoint `<address>/webhooks/stripe`',
      shownDefault: 'none',
      isRequired: true,
      isSecret: true,
      chart: 'payments.stripe.webhookSecretKey',
    },
    /^whsec_[\w+/=]+$/,
    'the signing secret of the webhook endpoint in Stripe: whsec_…',
  ),
  STRIPE_API_BASE: url(['http', 'https'], {
    what: 'for tests: another server with the API of Stripe; http with a test key only',
    shownDefault: 'Stripe itself',
  }),
};

export const SETTINGS = { ...OWN_SETTINGS, ...STRIPE_SETTINGS };

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

/** Throws ConfigError. */
export function readBillingConfig(env: Env): BillingConfig {
  const values = readSettings(OWN_SETTINGS, env);
  return {
    maxDatabaseConnections: values.DATABASE_MAX_CONNECTIONS,
    invoiceSeller: values.INVOICE_SELLER.split('|')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
    payment: values.PAYMENT_PROVIDER === 'sandbox' ? { provider: 'sandbox' } : readStripeConfig(env),
  };
}

function readStripeConfig(env: Env): PaymentConfig {
  const {
    STRIPE_SECRET_KEY: secretKey,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_API_BASE: apiBase,
  } = readSettings(STRIPE_SETTINGS, env);
  if (apiBase !== undefined) checkApiBase(apiBase, secretKey);
  return { provider: 'stripe', secretKey, webhookSecret, apiBase };
}

function checkApiBase(apiBase: URL, secretKey: string): void {
  const isBare = apiBase.href === `${apiBase.origin}/`;
  const isTestKey = secretKey.includes('_test_');
  if (isBare && (isTestKey || apiBase.protocol === 'https:')) return;
  throw new ConfigError(
    'STRIPE_API_BASE',
    isBare ? apiBase.href : '(hidden)',
    'https://host:port without a path; http:// with a test key only',
  );
}

function stripeSecret(about: Description & { readonly isRequired: true }, form: RegExp, allowed: string) {
  return parsed(about, {
    allowed,
    parse(value, refuse) {
      if (!form.test(value)) throw refuse(allowed);
      return value;
    },
  });
}
