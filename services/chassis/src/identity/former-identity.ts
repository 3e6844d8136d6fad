/**
 * Calls to and from processes of the former release, which sign with INTERNAL_SECRET (JWS, HMAC-SHA-256) and
 * refuse other signatures. While both releases run, an upgrade without a refused call needs it. The next
 * release deletes this file.
 */
import { accessTo, PROCESSES } from '@audiosplit/proto/callers';
import type { DescMethod } from '@bufbuild/protobuf';
import type { Clock } from '../clock.ts';
import { optional, secret } from '../process/settings.ts';
import { isSignatureOf, signText } from '../secrets/secret-values.ts';
import type { ActingAccount, Identity } from './identity.ts';

export const INTERNAL_SECRET = optional(
  secret({
    what:
      'for the upgrade from a release that signs calls with it: the value of that release, to be removed a day after the ' +
      'upgrade, as long as responses of idempotent calls are stored',
    shownDefault: 'calls of that release are refused',
    chart: 'secrets.internal',
  }),
);

export const FORMER_HEADER = 'x-audiosplit-identity';

type FormerIdentity =
  | { readonly kind: 'account'; readonly accountId: string; readonly scopes: readonly string[] }
  | { readonly kind: 'service'; readonly service: string };

interface Payload {
  readonly id: FormerIdentity;
  readonly exp: number;
}

const LIFETIME_SECONDS = 120;
const HEADER = Buffer.from('{"alg":"HS256"}').toString('base64url');

export function signAsFormer(formerSecret: string, { process, account }: Identity, clock: Clock): string {
  const payload: Payload = {
    id: account === undefined ? { kind: 'service', service: process } : { kind: 'account', ...account },
    exp: Math.floor(clock().getTime() / 1000) + LIFETIME_SECONDS,
  };
  const signed = `${HEADER}.${Buffer.from(JSON.stringify(payload)).toString('base64url')}`;
  return `${signed}.${signText(signed, formerSecret).toString('base64url')}`;
}

/** Undefined for a token that is malformed, expired or signed with another secret. */
export function verifyFormer(
  formerSecret: string,
  method: DescMethod,
  token: string,
  clock: Clock,
): Identity | undefined {
  const [header, body = '', signature = ''] = token.split('.');
  if (header !== HEADER) return undefined;
  if (!isSignatureOf(`${header}.${body}`, Buffer.from(signature, 'base64url'), formerSecret))
    return undefined;
  const { id, exp } = JSON.parse(Buffer.from(body, 'base64url').toString()) as Payload;
  if (exp * 1000 <= clock().getTime()) return undefined;
  if (id.kind === 'account') return onBehalfOf(id, method);
  const process = PROCESSES.find((each) => each === id.service);
  return process && { process };
}

/** The token does not say which process acts for the account. */
function onBehalfOf({ accountId, scopes }: ActingAccount, method: DescMethod): Identity {
  const callers = accessTo(method)?.by ?? [];
  const process = callers.includes('gateway') ? 'gateway' : 'account';
  return { process, account: { accountId, scopes } };
}
