import type { IncomingHttpHeaders } from 'node:http';

/** The API key, sent as `Authorization: Bearer` by MCP clients, or in the API's own header. */
export function bearerKeyOf({ authorization, 'x-api-key': apiKey }: IncomingHttpHeaders): string | undefined {
  const [, bearer] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
  return bearer ?? (typeof apiKey === 'string' ? apiKey : undefined);
}
