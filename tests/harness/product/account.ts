/** Accounts as callers make them. */
import { randomBytes } from 'node:crypto';
import type { Body, CreatedApiKey, Session } from '@audiosplit/client';
import { connect } from './api.ts';
import type { Product } from './product.ts';

export const PASSWORD = 'correct horse battery staple';

export function register(product: Product): Promise<Session> {
  const email = `ada-${randomBytes(6).toString('hex')}@example.com`;
  return connect(product).register({ email, password: PASSWORD, name: 'Ada' });
}

export function createKey(
  product: Product,
  accessToken: string,
  wish: Body<'createApiKey'>,
): Promise<CreatedApiKey> {
  return connect(product, { accessToken }).createApiKey(wish);
}

/** A Free account with a key; all scopes by default. */
export async function registerWithKey(
  product: Product,
  scopes?: NonNullable<Body<'createApiKey'>['scopes']>,
): Promise<{ readonly session: Session; readonly apiKey: string }> {
  const session = await register(product);
  const wish = { name: 'Acceptance', ...(scopes === undefined ? {} : { scopes }) };
  const { key } = await createKey(product, session.accessToken, wish);
  return { session, apiKey: key };
}
