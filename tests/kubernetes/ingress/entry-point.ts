/**
 * Requests through a controller from outside. No name server here has the public name, so it is sent along.
 */
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { Kind } from './controller-manifests.ts';

export const PUBLIC_HOST = 'audio.example.com';

export interface EntryPoint {
  readonly kind: Kind;
  /** The controller's address for requests of this kind. */
  readonly url: string;
}

interface EntryRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | number>>;
}

/** `target`: a path, or a link that begins with the public address. The caller ends the request. */
export function sendBy(
  { url }: EntryPoint,
  target: string,
  { method = 'GET', headers = {} }: EntryRequest = {},
): ClientRequest {
  const path = target.startsWith('/') ? target : target.slice(new URL(target).origin.length);
  // Uses a new connection, which the other end cannot be about to close.
  return request(`${url}${path}`, { method, agent: false, headers: { ...headers, host: PUBLIC_HOST } });
}

/** Rejects if there is no response. */
export async function responseOf(sent: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

/** Sends a request without a body. */
export function fetchBy(
  entryPoint: EntryPoint,
  target: string,
  options?: EntryRequest,
): Promise<IncomingMessage> {
  return responseOf(sendBy(entryPoint, target, options).end());
}
