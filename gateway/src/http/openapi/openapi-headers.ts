/** Adds the response headers that depend on the kind of response and not on the route. */
import type { OpenAPIV3_1 } from 'openapi-types';
import { API_PREFIX } from '../server/api-path.ts';

type Header = OpenAPIV3_1.HeaderObject & { readonly description: string };

const counter = (description: string): Header => ({
  description,
  required: true,
  schema: { type: 'integer', minimum: 0 },
});

/** Header components by name. */
const HEADERS: Readonly<Record<string, Header>> = {
  'X-Request-Id': {
    description: 'Id of this request in our logs. It is the one that was sent, if that is well formed.',
    required: true,
    schema: { type: 'string', pattern: '^[0-9A-Za-z_.:-]{1,128}$' },
  },
  'X-RateLimit-Limit': counter('Requests allowed in the current window.'),
  'X-RateLimit-Remaining': counter('Requests left in it.'),
  'X-RateLimit-Reset': counter('Unix time in seconds at which the next window begins.'),
  'Idempotency-Replayed': {
    description: '`true` if this is the response to an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Retry-After': {
    description: 'Seconds after which a retry may succeed.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  'WWW-Authenticate': {
    description: 'The credential that is required (RFC 9110, section 11.6.1).',
    required: true,
    schema: { type: 'string' },
  },
  'X-Accepted-Scopes': {
    description: 'With INSUFFICIENT_SCOPE: the scopes of which a key needs one, separated by commas.',
    schema: { type: 'string' },
  },
};

export function addHeaders(description: Partial<OpenAPIV3_1.Document>): void {
  description.components = { ...description.components, headers: { ...HEADERS } };
  for (const [path, item] of Object.entries(description.paths ?? {})) {
    for (const [method, operation] of Object.entries(item ?? {})) {
      const responses: Record<string, OpenAPIV3_1.ResponseObject> = Object(operation).responses ?? {};
      for (const [status, response] of Object.entries(responses)) {
        const names = headersOf(path.startsWith(API_PREFIX), method, status);
        response.headers = Object.fromEntries(
          names.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
        );
      }
    }
  }
}

function headersOf(isApi: boolean, method: string, status: string): string[] {
  const names = ['X-Request-Id'];
  if (!isApi) return names;
  names.push('X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset');
  if (method === 'post') names.push('Idempotency-Replayed');
  if (status === '401') names.push('WWW-Authenticate');
  if (status === '403') names.push('X-Accepted-Scopes');
  if (status === '429' || status === '503') names.push('Retry-After');
  return names;
}
