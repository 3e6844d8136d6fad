/** AuthOperatorService: operators see how an account signs in, and change it. */
import { NotFoundError } from '@audiosplit/chassis/errors';
import type { AuthOperatorService } from '@audiosplit/proto/auth/v1/operators';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import type { EmailChanges } from './sign-in/email-changes.ts';
import type { SecondFactors } from './sign-in/second-factors.ts';
import type { Sessions } from './sign-in/sessions.ts';

interface OperatorRpcOptions {
  readonly emailChanges: EmailChanges;
  readonly secondFactors: SecondFactors;
  readonly sessions: Sessions;
}

export function createOperatorRpc({
  emailChanges,
  secondFactors,
  sessions,
}: OperatorRpcOptions): ServiceImpl<typeof AuthOperatorService> {
  return {
    async getSignIn({ accountId }) {
      const holder = await emailChanges.find(accountId);
      if (holder === undefined) throw new NotFoundError('The account');
      const secondFactor = await secondFactors.find(accountId);
      return {
        emailVerified: holder.emailVerifiedAt !== null,
        ...(secondFactor === undefined
          ? {}
          : { secondFactorSince: timestampFromDate(secondFactor.enabledAt) }),
        sessions: (await sessions.list(accountId)).length,
      };
    },

    async turnOffSecondFactor({ accountId }) {
      await secondFactors.turnOff(accountId);
      return {};
    },
  };
}
