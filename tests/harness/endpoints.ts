/** The endpoints that the contract numbers, in the contract's order. */
export const ENDPOINTS = [
  'POST /api/v1/api-keys',
  'PATCH /api/v1/api-keys/:keyId',
  'POST /api/v1/splits',
  'GET /api/v1/splits',
  'GET /api/v1/splits/:jobId',
  'DELETE /api/v1/splits/:jobId',
  'DELETE /api/v1/account',
  'POST /api/v1/account/export',
  'POST /api/v1/billing/subscribe',
  'POST /api/v1/billing/change-plan',
  'POST /api/v1/billing/cancel',
  'GET /api/v1/billing/invoices',
  'GET /api/v1/billing',
  'GET /api/v1/billing/usage',
] as const;

export type Endpoint = (typeof ENDPOINTS)[number];
