/** The methods of AuthService by which account holders change how they sign in. */
import { NotFoundError } from '@audiosplit/chassis/errors';
import { requireAccount } from '@audiosplit/chassis/identity/authorization';
import type { AuthService } from '@audiosplit/proto/auth/v1/auth';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import type { EmailChanges } from './sign-in/email-changes.ts';
import type { Passwords } from './sign-in/passwords.ts';
import type { SecondFactors } from './sign-in/second-factors.ts';
import type { Sessions } from './sign-in/sessions.ts';

interface HolderRpcOptions {
  readonly passwords: Passwords;
  readonly emailChanges: EmailChanges;
  readonly secondFactors: SecondFactors;
  readonly sessions: Sessions;
  readonly mustVerifyEmail: (accountId: string) => Promise<boolean>;
}

export function createHolderMethods({
  passwords,
  emailChanges,
  secondFactors,
  sessions,
  mustVerifyEmail,
}: HolderRpcOptions) {
  return {
    async requestPasswordReset({ email }) {
      await passwords.requestReset(email);
      return {};
    },
    async resetPassword(request) {
      return { accountId: await passwords.reset(request) };
    },
    async changePassword({ current, password, sessionId, clientIp }, context) {
      const { accountId } = requireAccount(context);
      await passwords.change({ accountId, current, password, sessionId, clientIp });
      return {};
    },
    async changeEmail({ email, current, clientIp }, context) {
      const { accountId } = requireAccount(context);
      await emailChanges.request({ accountId, email, current, clientIp });
      return {};
    },
    async requestVerification(_, context) {
      await emailChanges.requestVerification(requireAccount(context).accountId);
      return {};
    },
    async verifyEmail({ token }) {
      return { accountId: await emailChanges.verify(token) };
    },
    async getSecurity(_, context) {
      const { accountId } = requireAccount(context);
      const [holder, mustVerify, secondFactor] = await Promise.all([
        emailChanges.find(accountId),
        mustVerifyEmail(accountId),
        secondFactors.find(accountId),
      ]);
      if (holder === undefined) throw new NotFoundError('The account');
      const { email, emailVerifiedAt, pendingEmail } = holder;
      return {
        email,
        emailVerified: emailVerifiedAt !== null,
        mustVerifyEmail: mustVerify,
        ...(pendingEmail === null ? {} : { pendingEmail }),
        ...(secondFactor === undefined
          ? {}
          : {
              secondFactor: {
                enabledAt: timestampFromDate(secondFactor.enabledAt),
                recoveryCodesLeft: secondFactor.recoveryCodesLeft,
              },
            }),
      };
    },
    async beginSecondFactor({ current, clientIp }, context) {
      return secondFactors.begin({ accountId: requireAccount(context).accountId, current, clientIp });
    },
    async confirmSecondFactor({ code }, context) {
      const recoveryCodes = await secondFactors.confirm(requireAccount(context).accountId, code);
      return { recoveryCodes: [...recoveryCodes] };
    },
    async renewRecoveryCodes({ current, code, clientIp }, context) {
      const confirmation = { accountId: requireAccount(context).accountId, current, code, clientIp };
      return { recoveryCodes: [...(await secondFactors.renewRecoveryCodes(confirmation))] };
    },
    async removeSecondFactor({ current, code, clientIp }, context) {
      await secondFactors.remove({ accountId: requireAccount(context).accountId, current, code, clientIp });
      return {};
    },
    async listSessions(_, context) {
      const found = await sessions.list(requireAccount(context).accountId);
      return {
        sessions: found.map(({ id, createdAt, lastUsedAt, clientAddress, userAgent }) => ({
          id,
          createdAt: timestampFromDate(createdAt),
          lastUsedAt: timestampFromDate(lastUsedAt),
          address: clientAddress ?? '',
          userAgent: userAgent ?? '',
        })),
      };
    },
    async endSession({ sessionId }, context) {
      await sessions.end(requireAccount(context).accountId, sessionId);
      return {};
    },
    async endOtherSessions({ sessionId }, context) {
      await sessions.endOthers(requireAccount(context).accountId, sessionId);
      return {};
    },
  } satisfies Partial<ServiceImpl<typeof AuthService>>;
}
