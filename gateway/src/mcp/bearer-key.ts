import type { IncomingHttpHeaders } from 'node:http';

/** An API key as MCP clients send their credential, `Authorization: Bearer`; or as the API takes it. */
export function bearerKeyOf({ authorization, 'x-api-key': apiKey }: IncomingHttpHeaders): string | undefined {
  const [, bearer] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
  return bearer ?? (typeof apiKey === 'string' ? apiKey : undefined);
}
