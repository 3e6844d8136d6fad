/**
 * Renews the session before a call that would find it expired, and after one that did. If the session has ended, calls
 * wait until the same account signs in again. A call made for one account is never sent for another.
 */
import type { ConsoleRouter } from '@audiosplit/gateway/console/router';
import { TRPCClientError, type TRPCLink } from '@trpc/client';
import { observable } from '@trpc/server/observable';
import { accountChanged, holderNow, isExpiring, isHeldBy, regainSession, session } from '../state/session.ts';
import { isSessionOver } from './failure.ts';
import { SessionOverError } from './session-over.ts';

export const sessionLink: TRPCLink<ConsoleRouter> =
  () =>
  ({ next, op }) =>
    observable((observer) => {
      let stop = () => {};
      let isStopped = false;
      const isAboutSession = op.path.startsWith('session.');
      const context = isAboutSession
        ? op.context
        : { ...op.context, idempotencyKey: newKey(), holder: holderNow() };

      const start = (isRepeated: boolean) => {
        if (isStopped) return;
        const subscription = next({ ...op, context }).subscribe({
          next: (value) => observer.next(value),
          complete: () => observer.complete(),
          error: (error) => {
            // Deletion was requested in another tab or through the API.
            if (error.data?.api?.code === 'ACCOUNT_PENDING_DELETION') accountChanged();
            if (isRepeated || isAboutSession || !isRefused(error)) return observer.error(error);
            regainSession().then(
              () => start(true),
              (reason) => observer.error(isSessionOver(reason) ? error : TRPCClientError.from(reason)),
            );
          },
        });
        stop = () => subscription.unsubscribe();
      };

      if (!isAboutSession && (isExpiring() || session.get() === 'ended'))
        regainSession().then(
          () => start(false),
          (reason) =>
            // If the server did not respond, the call itself finds out why.
            isSessionOver(reason) ? observer.error(TRPCClientError.from(reason)) : start(false),
        );
      else start(false);
      return () => {
        isStopped = true;
        stop();
      };
    });

/** Checks before a call is sent, and before each retry, that its account is still signed in. */
export const holderLink: TRPCLink<ConsoleRouter> =
  () =>
  ({ next, op }) =>
    observable((observer) => {
      const { holder } = op.context;
      if ((holder === null || typeof holder === 'string') && !isHeldBy(holder)) {
        observer.error(TRPCClientError.from(new SessionOverError('another account has signed in')));
        return;
      }
      return next(op).subscribe(observer);
    });

function isRefused(error: TRPCClientError<ConsoleRouter>): boolean {
  return error.data?.code === 'UNAUTHORIZED';
}

/** crypto.randomUUID needs a secure origin. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
