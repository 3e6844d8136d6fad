/**
 * The internal identity token as services/chassis/src/rpc/identity.ts verifies it, made from what a runtime without Node's
 * modules has. The test beside it holds it to the chassis.
 */
export type Identity =
  | { readonly kind: 'account'; readonly accountId: string; readonly scopes: readonly string[] }
  | { readonly kind: 'service'; readonly service: string };

const LIFETIME_SECONDS = 120;
/** Times are rounded down to this, so that a service that remembers tokens meets the same one again. */
const STEP_SECONDS = 30;

/** Base64url is without padding, that of `hmacSha256` too. */
export function identityToken(
  identity: Identity,
  nowMs: number,
  crypto: Readonly<Record<'base64url' | 'hmacSha256', (text: string) => string>>,
): string {
  const stepSeconds = Math.floor(nowMs / 1_000 / STEP_SECONDS) * STEP_SECONDS;
  const payload = JSON.stringify({ id: identity, exp: stepSeconds + LIFETIME_SECONDS });
  const signed = `${crypto.base64url('{"alg":"HS256"}')}.${crypto.base64url(payload)}`;
  return `${signed}.${crypto.hmacSha256(signed)}`;
}
