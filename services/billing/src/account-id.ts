import { InvalidParamsError } from '@audiosplit/chassis/errors';

/** The account that a request names. Throws InvalidParamsError. */
export function accountIdOf({ accountId }: { readonly accountId: string }): string {
  if (/^[\x21-\x7e]{1,255}$/.test(accountId)) return accountId;
  throw new InvalidParamsError('accountId', 'give the id of an account.');
}
