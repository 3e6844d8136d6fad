import { type Static, Type } from 'typebox';
import { CLOSED, displayName, timestamp } from './fields.ts';

export const email = Type.String({
  format: 'email',
  maxLength: 254,
  description: 'Upper and lower case are the same.',
});
export const newPassword = Type.String({ minLength: 12, maxLength: 128 });
const refreshToken = Type.String({ minLength: 1, maxLength: 4096, description: 'Good for one use.' });

export const RegisterBody = Type.Object(
  {
    email,
    password: newPassword,
    name: Type.Optional(displayName('How to address the account holder.')),
  },
  CLOSED,
);

export const secondFactorCode = Type.String({
  minLength: 6,
  maxLength: 64,
  description: 'Six digits of the authenticator app, or a recovery code. Each is good for one use.',
});

export const LoginBody = Type.Object(
  {
    email: Type.String({ minLength: 1, maxLength: 254 }),
    password: Type.String({ minLength: 1, maxLength: 1024 }),
    code: Type.Optional(secondFactorCode),
  },
  CLOSED,
);

export const RefreshTokenBody = Type.Object({ refreshToken }, CLOSED);

export const LoginByLinkBody = Type.Object(
  {
    token: Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'What stands behind the `#` of the link in the mail. Good for one use.',
    }),
    code: Type.Optional(secondFactorCode),
  },
  CLOSED,
);

export const Session = Type.Object(
  {
    account: Type.Object({
      id: Type.String(),
      email: Type.String(),
      name: Type.String(),
      createdAt: timestamp('When the account was registered.'),
    }),
    accessToken: Type.String({ description: 'A JWT for the Authorization header.' }),
    refreshToken: Type.String({ description: 'Exchanges once for the next pair of tokens.' }),
    tokenType: Type.Literal('Bearer'),
    expiresIn: Type.Integer({ description: 'Seconds until the access token expires.' }),
  },
  { $id: 'Session' },
);
export type Session = Static<typeof Session>;

export const KeySetBody = Type.Object(
  { keys: Type.Array(Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })) },
  { $id: 'JsonWebKeySet' },
);
