/** Where card data is entered by Stripe's own script: what the document names, and what its content policy allows. */

export interface StripePage {
  readonly publishableKey: string;
  readonly scriptUrl: URL;
}

/** Stripe takes it from this address alone: https://docs.stripe.com/js */
export const STRIPE_SCRIPT = new URL('https://js.stripe.com/v3/');

const STRIPE_ORIGINS = {
  pages: ['https://js.stripe.com', 'https://*.js.stripe.com'],
  api: 'https://api.stripe.com',
};

/**
 * As https://docs.stripe.com/security/guide#content-security-policy has it, without what maps and payments by wallets
 * need. Stripe says nothing of trusted types, so the page does not require them.
 */
export function stripePolicy({ scriptUrl: { origin } }: StripePage): string {
  const { pages, api } = origin === STRIPE_SCRIPT.origin ? STRIPE_ORIGINS : { pages: [origin], api: origin };
  const sources = pages.join(' ');
  return (
    `default-src 'none'; script-src 'self' ${sources}; frame-src ${sources}; style-src 'self'; ` +
    `img-src 'self' data:; media-src 'self' blob:; connect-src 'self' ${api}; font-src 'self'; base-uri 'none'; ` +
    "form-action 'self'; frame-ancestors 'none'"
  );
}
