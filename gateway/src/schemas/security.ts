import { type Static, Type } from 'typebox';
import { CLOSED, pathId, timestamp } from './fields.ts';
import { ref } from './ref.ts';
import { email, newPassword, secondFactorCode } from './sessions.ts';

const token = Type.String({
  minLength: 1,
  maxLength: 256,
  description: 'What stands behind the `#` of the link in the mail. Good for one use, for 30 minutes.',
});
const current = Type.String({
  minLength: 1,
  maxLength: 1024,
  description: 'The present password. A wrong one counts as at a sign-in.',
});

export const ForgotPasswordBody = Type.Object({ email }, CLOSED);
export const ResetPasswordBody = Type.Object({ token, password: newPassword }, CLOSED);
export const VerifyEmailBody = Type.Object({ token }, CLOSED);
export const ChangePasswordBody = Type.Object({ current, password: newPassword }, CLOSED);
export const ChangeEmailBody = Type.Object({ email, current }, CLOSED);

export const Security = Type.Object(
  {
    email: Type.String({ description: 'What the account signs in with.' }),
    emailVerified: Type.Boolean({
      description: 'Whether its holder has opened a link that was mailed to it.',
    }),
    pendingEmail: Type.Optional(
      Type.String({ description: 'Takes its place once the link that was mailed to it is opened.' }),
    ),
    secondFactor: Type.Optional(
      Type.Object(
        {
          enabledAt: timestamp('When it was turned on.'),
          recoveryCodesLeft: Type.Integer({ description: 'Recovery codes that are not used yet.' }),
        },
        { description: 'Absent while it is off.' },
      ),
    ),
    mustVerifyEmail: Type.Boolean({ description: 'Whether jobs are refused until the address is verified.' }),
  },
  { $id: 'Security' },
);
export type Security = Static<typeof Security>;

export const BeginSecondFactorBody = Type.Object({ current }, CLOSED);
export const ConfirmSecondFactorBody = Type.Object({ code: secondFactorCode }, CLOSED);
export const ChangeSecondFactorBody = Type.Object({ current, code: secondFactorCode }, CLOSED);

export const SecondFactorSecret = Type.Object(
  {
    secret: Type.String({ description: 'For an authenticator app, in base32.' }),
    uri: Type.String({ description: 'The same as an `otpauth://` URI, for a QR code.' }),
  },
  { $id: 'SecondFactorSecret' },
);
export const RecoveryCodes = Type.Object(
  {
    recoveryCodes: Type.Array(Type.String(), {
      description: 'Each signs in once, in place of a code. They are shown here alone.',
    }),
  },
  { $id: 'RecoveryCodes' },
);

export const SessionParams = Type.Object({ sessionId: pathId('ses', 'The session.') });

export const SignedInSession = Type.Object(
  {
    id: Type.String(),
    createdAt: timestamp('When it signed in.'),
    lastUsedAt: timestamp('When it was last used, to the minute.'),
    address: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Network address that it signed in or last renewed its tokens from.',
    }),
    userAgent: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'What it called itself then.',
    }),
    current: Type.Boolean({ description: 'Whether this call comes from it.' }),
  },
  { $id: 'SignedInSession' },
);
export type SignedInSession = Static<typeof SignedInSession>;

export const SessionList = Type.Object({ data: Type.Array(ref(SignedInSession)) }, { $id: 'SessionList' });
