/**
 * Configuration for entering card data with Stripe's own script: the script's address, and the content policy
 * that allows it.
 */

export interface StripePage {
  readonly publishableKey: string;
  readonly scriptUrl: URL;
}

/** Stripe requires this address: https://docs.stripe.com/js */
export const STRIPE_SCRIPT = new URL('https://js.stripe.com/v3/');

const STRIPE_ORIGINS = {
  scripts: ['https://js.stripe.com', 'https://*.js.stripe.com'],
  /** A card's bank confirms a payment (3D Secure) in a frame of this origin. */
  hooks: ['https://hooks.stripe.com'],
  api: 'https://api.stripe.com',
};

/**
 * As in https://docs.stripe.com/security/guide#content-security-policy, without the sources for maps and for
 * wallet payments. Stripe does not document trusted types, so the page does not require them.
 */
export function stripePolicy({ scriptUrl: { origin } }: StripePage): string {
  const { scripts, hooks, api } =
    origin === STRIPE_SCRIPT.origin ? STRIPE_ORIGINS : { scripts: [origin], hooks: [], api: origin };
  return (
    `default-src 'none'; script-src 'self' ${scripts.join(' ')}; frame-src ${[...scripts, ...hooks].join(' ')}; style-src 'self'; ` +
    `img-src 'self' data:; media-src 'self' blob:; connect-src 'self' ${api}; font-src 'self'; base-uri 'none'; ` +
    "form-action 'self'; frame-ancestors 'none'"
  );
}
