/**
 * Renews the session before a call that would find it expired, and after one that did. Where it is over, calls wait until
 * their holder has signed in again, and go on.
 */
import type { ConsoleRouter } from '@audiosplit/gateway/console/router';
import { TRPCClientError, type TRPCLink } from '@trpc/client';
import { observable } from '@trpc/server/observable';
import { accountChanged, isExpiring, regainSession, SessionOverError, session } from '../state/session.ts';

export const sessionLink: TRPCLink<ConsoleRouter> =
  () =>
  ({ next, op }) =>
    observable((observer) => {
      let stop = () => {};
      let isStopped = false;
      const isAboutSession = op.path.startsWith('session.');
      const context = isAboutSession ? op.context : { ...op.context, idempotencyKey: newKey() };

      const start = (isRepeated: boolean) => {
        if (isStopped) return;
        const subscription = next({ ...op, context }).subscribe({
          next: (value) => observer.next(value),
          complete: () => observer.complete(),
          error: (error) => {
            // Asked for in another tab, or through the API.
            if (error.data?.api?.code === 'ACCOUNT_PENDING_DELETION') accountChanged();
            if (isRepeated || isAboutSession || !isRefused(error)) return observer.error(error);
            regainSession().then(
              () => start(true),
              (reason) => observer.error(reason instanceof SessionOverError ? error : unreachable(reason)),
            );
          },
        });
        stop = () => subscription.unsubscribe();
      };

      // Where it cannot be renewed the call itself finds out why.
      if (!isAboutSession && (isExpiring() || session.get() === 'ended'))
        regainSession().then(
          () => start(false),
          () => start(false),
        );
      else start(false);
      return () => {
        isStopped = true;
        stop();
      };
    });

function isRefused(error: TRPCClientError<ConsoleRouter>): boolean {
  return error.data?.code === 'UNAUTHORIZED';
}

/** Whoever could not ask for a new session has not been refused one. */
function unreachable(reason: Error): TRPCClientError<ConsoleRouter> {
  return TRPCClientError.from(reason);
}

/** crypto.randomUUID is there on secure origins only. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
