/** Accounts of a product under test; every answer is checked against its description. */
import type { Body, CreatedApiKey, Session } from '@audiosplit/client';
import { checkedFetch } from '../accounts/checked-fetch.ts';
import {
  type Account,
  type AccountOptions,
  newEmail,
  openAccount,
  PASSWORD,
} from '../accounts/open-account.ts';
import { connect } from './api.ts';
import type { Product } from './running-product.ts';

export { PASSWORD } from '../accounts/open-account.ts';

export function register(product: Product): Promise<Session> {
  return connect(product).register({ email: newEmail(), password: PASSWORD, name: 'Ada' });
}

export function createKey(
  product: Product,
  accessToken: string,
  request: Body<'createApiKey'>,
): Promise<CreatedApiKey> {
  return connect(product, { accessToken }).createApiKey(request);
}

/** A Free account with a key; all scopes by default. */
export function registerWithKey({ baseUrl }: Product, scopes?: AccountOptions['scopes']): Promise<Account> {
  const options = scopes === undefined ? {} : { scopes };
  return openAccount(baseUrl, { name: 'Ada', fetch: checkedFetch(baseUrl), ...options });
}
