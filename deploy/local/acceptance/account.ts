/** Accounts as callers make them. */
import { randomBytes } from 'node:crypto';
import { assertStatus, call } from './api.ts';
import type { Product } from './product.ts';

export interface Session {
  readonly account: {
    readonly id: string;
    readonly email: string;
    readonly name: string;
    readonly createdAt: string;
  };
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly tokenType: string;
  readonly expiresIn: number;
}

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly key?: string;
  readonly keyPreview?: string;
  readonly scopes: readonly string[];
  readonly lastUsedAt?: string | null;
  readonly createdAt: string;
  readonly expiresAt?: string | null;
  readonly updatedAt?: string;
}

export const PASSWORD = 'correct horse battery staple';

export async function register(product: Product): Promise<Session> {
  const email = `ada-${randomBytes(6).toString('hex')}@example.com`;
  const body = { email, password: PASSWORD, name: 'Ada' };
  return assertStatus(await call<Session>(product, 'POST /api/v1/auth/register', { body }), 201);
}

export async function createKey(
  product: Product,
  accessToken: string,
  wish: Record<string, unknown>,
): Promise<ApiKey & { readonly key: string }> {
  const answer = await call<ApiKey>(product, 'POST /api/v1/api-keys', { accessToken, body: wish });
  const created = assertStatus(answer, 201);
  if (created.key === undefined) throw new Error('a key was created without its secret');
  return { ...created, key: created.key };
}

/** A Free account with a key; all scopes by default. */
export async function registerWithKey(
  product: Product,
  scopes?: readonly string[],
): Promise<{ readonly session: Session; readonly apiKey: string }> {
  const session = await register(product);
  const wish = { name: 'Acceptance', ...(scopes === undefined ? {} : { scopes }) };
  const { key } = await createKey(product, session.accessToken, wish);
  return { session, apiKey: key };
}
