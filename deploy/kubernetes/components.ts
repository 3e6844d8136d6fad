/** The chart's components that serve the product, and not an engine or a test. */
export const COMPONENTS = ['gateway', 'auth', 'account', 'billing', 'jobs', 'splitter', 'webhooks'] as const;
