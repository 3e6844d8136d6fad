/** Access tokens with one defect each, made by hand because a library would refuse to create most of them. */
import assert from 'node:assert/strict';
import { createHmac, createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createSecretBox } from '@audiosplit/chassis/secrets/secret-box';
import { answerOf, bearer, type Installation } from './installation.fixture.ts';

type Json = Readonly<Record<string, unknown>>;

/** Keyed by their defect; otherwise they are like `good`. */
export async function forgeTokens(installation: Installation, good: string): Promise<[string, string][]> {
  const [header = '', payload = '', signature = ''] = good.split('.');
  const claims: Json = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const { kid, publicJwk, privateKey } = await signingKeyOf(installation);
  const stranger = generateKeyPairSync('ed25519');
  const strangersJwk = stranger.publicKey.export({ format: 'jwk' });

  const byUs = (changes: Json) => signed(privateKey, { alg: 'EdDSA', kid }, { ...claims, ...changes });
  const byStranger = (fields: Json) => signed(stranger.privateKey, { alg: 'EdDSA', kid, ...fields }, claims);
  const bySharedSecret = (secret: string | Buffer) => {
    const text = `${encode({ alg: 'HS256', kid })}.${payload}`;
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
  };
  const inTenMinutes = Math.floor(installation.all.context.clock().getTime() / 1000) + 600;
  // An unchanged token with our signature works, so each forgery is refused because of its one change.
  const unharmed = await installation.call('GET', '/api/v1/account', bearer(byUs({})));
  assert.equal(unharmed.status, 200);

  return [
    ['malformed', 'not-a-token'],
    ['without its signature', `${header}.${payload}.`],
    ['altered', `${header}.${encode({ ...claims, sub: 'acc_somebody' })}.${signature}`],
    ['of algorithm none', `${encode({ alg: 'none', kid })}.${payload}.`],
    ['under the public key as HS256', bySharedSecret(Buffer.from(String(publicJwk.x), 'base64url'))],
    ['under the public JWK as HS256', bySharedSecret(JSON.stringify(publicJwk))],
    ['of an unknown key', byStranger({ kid: 'sgk_unknown' })],
    ['of a stranger in the name of our key', byStranger({})],
    ['that brings its own key', byStranger({ jwk: strangersJwk })],
    ['that says where its key is', byStranger({ kid: 'elsewhere', jku: 'http://127.0.0.1:9/jwks.json' })],
    ['with an unknown critical header', signed(privateKey, { alg: 'EdDSA', kid, crit: ['x'], x: 1 }, claims)],
    ['of another issuer', byUs({ iss: 'https://issuer.example' })],
    ['for another audience', byUs({ aud: 'another' })],
    ['not valid yet', byUs({ nbf: inTenMinutes })],
    ['without an expiry', byUs({ exp: undefined })],
    ['with an expiry that is no number', byUs({ exp: '9999999999' })],
    ['about nobody', byUs({ sub: undefined })],
    ['about an empty subject', byUs({ sub: '' })],
    ['about a list', byUs({ sub: [claims.sub] })],
  ];
}

async function signingKeyOf({ all, url }: Installation) {
  const keySet = fetch(`${url}/.well-known/jwks.json`);
  const [publicJwk = assert.fail()] = (await answerOf<{ keys: (Json & { kid: string })[] }>(keySet)).keys;
  const { kid } = publicJwk;
  const select = 'select sealed_private_key as sealed from auth.signing_keys where kid = $1';
  const { rows } = await all.sql.query<{ sealed: Buffer }>(select, [kid]);
  const box = createSecretBox(all.authSecret, 'audiosplit signing keys');
  const der = box.open(rows[0]?.sealed ?? Buffer.alloc(0), kid);
  return { kid, publicJwk, privateKey: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }) };
}

function signed(key: KeyObject, header: Json, claims: Json): string {
  const text = `${encode(header)}.${encode(claims)}`;
  return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`;
}

function encode(value: Json): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
