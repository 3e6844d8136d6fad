/** A test double of an OpenID Connect provider: rotating keys, published over HTTP, and tokens. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '@audiosplit/chassis/clock';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

export interface OidcClaims {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean | string;
  readonly name?: string;
  readonly iat?: number;
  readonly iss?: string;
  readonly aud?: string | string[];
  /** Seconds from now. */
  readonly expiresIn?: number;
  readonly notBefore?: number;
}

export interface OidcIssuer extends AsyncDisposable {
  readonly jwt: { readonly issuer: string; readonly audience: string; readonly jwksUrl: string };
  /** Number of requests for the key set. */
  readonly asked: number;
  /** The response to requests for the key set. */
  answer: 'keys' | 'error' | 'nonsense' | 'silence';
  /** Signs with a new key from now on. Earlier ones stay published unless withdrawn. */
  rotate(options?: { readonly algorithm?: string; readonly withdraw?: boolean }): Promise<void>;
  sign(claims: OidcClaims): Promise<string>;
  /** Adds a key to the set, valid or not. */
  publish(key: JWK): void;
  /** The published key set. */
  keys(): readonly JWK[];
}

interface Signing {
  readonly kid: string;
  readonly algorithm: string;
  readonly privateKey: CryptoKey;
}

const AUDIENCE = 'https://api.audiosplit.example';

export async function startOidcIssuer(clock: Clock): Promise<OidcIssuer> {
  let published: JWK[] = [];
  let signing: Signing | undefined;
  let asked = 0;
  let made = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    switch (issuer.answer) {
      case 'keys':
        response
          .setHeader('content-type', 'application/jwk-set+json')
          .end(JSON.stringify({ keys: published }));
        return;
      case 'error':
        response.writeHead(500).end();
        return;
      case 'nonsense':
        response.end('<html></html>');
        return;
      case 'silence':
        return;
      default:
        issuer.answer satisfies never;
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const issuer: OidcIssuer = {
    jwt: { issuer: origin, audience: AUDIENCE, jwksUrl: `${origin}/jwks` },
    get asked() {
      return asked;
    },
    answer: 'keys',
    async rotate({ algorithm = 'RS256', withdraw = false } = {}) {
      const pair = await generateKeyPair(algorithm, { extractable: true });
      const kid = `key-${++made}-${algorithm}`;
      const jwk = { ...(await exportJWK(pair.publicKey)), kid, alg: algorithm, use: 'sig' };
      published = [...(withdraw ? [] : published), jwk];
      signing = { kid, algorithm, privateKey: pair.privateKey };
    },
    async sign({ expiresIn = 300, notBefore, ...claims }) {
      if (signing === undefined) throw new Error('the issuer has no key yet');
      const { algorithm: alg, kid, privateKey } = signing;
      const nowSeconds = Math.floor(clock().getTime() / 1000);
      const token = new SignJWT({ iss: origin, aud: AUDIENCE, iat: nowSeconds, ...claims })
        .setProtectedHeader({ alg, kid, typ: 'at+jwt' })
        .setExpirationTime(nowSeconds + expiresIn);
      return (notBefore === undefined ? token : token.setNotBefore(nowSeconds + notBefore)).sign(privateKey);
    },
    publish(key) {
      published = [...published, key];
    },
    keys: () => published,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  await issuer.rotate();
  return issuer;
}
