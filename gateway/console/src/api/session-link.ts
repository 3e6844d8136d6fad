/** Renews the session before a call that would find it expired, and after one that did. */
import type { ConsoleRouter } from '@audiosplit/gateway/console/router';
import type { TRPCClientError, TRPCLink } from '@trpc/client';
import { observable } from '@trpc/server/observable';
import { accountChanged, isExpiring, renewSession, signedOut } from '../state/session.ts';

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
            renewSession().then(
              () => start(true),
              () => {
                signedOut();
                observer.error(error);
              },
            );
          },
        });
        stop = () => subscription.unsubscribe();
      };

      // Where it cannot be renewed the call itself finds out why.
      if (!isAboutSession && isExpiring())
        renewSession().then(
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

/** crypto.randomUUID is there on secure origins only. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
