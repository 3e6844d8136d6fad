/** Decides whether a 404 is a page, for browsers, or JSON, for programs. */
import type { FastifyRequest } from 'fastify';
import { API_PATH } from './api-path.ts';

/** Whether the Accept header decides. Below the API's prefix an error is always JSON. */
export function mayGetPage({ method, url }: Pick<FastifyRequest, 'method' | 'url'>): boolean {
  return (method === 'GET' || method === 'HEAD') && !API_PATH.test(url);
}

export function wantsPage({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const accepted = headers.accept ?? '';
  const ofHtml = weightOf(accepted, 'text/html');
  return ofHtml > 0 && ofHtml >= weightOf(accepted, 'application/json');
}

/** RFC 9110, section 12.5.1, for an exactly named type. 0 if absent. */
function weightOf(accepted: string, type: string): number {
  for (const part of accepted.split(',')) {
    const [name = '', ...parameters] = part
      .toLowerCase()
      .split(';')
      .map((piece) => piece.trim());
    if (name !== type) continue;
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    return weight === undefined ? 1 : Number(weight.slice(2)) || 0;
  }
  return 0;
}
