/** The chart's components of the product, without engines and tests. */
export const COMPONENTS = ['gateway', 'auth', 'account', 'billing', 'jobs', 'splitter', 'webhooks'] as const;
