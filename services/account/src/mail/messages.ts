/**
 * The texts of all mails. They contain nothing chosen by the account holder, because anybody can register with another
 * person's address, and could have us send them text.
 */
import type { UsageThreshold } from '@audiosplit/proto/events/v1/events';
import { timestampDate } from '@bufbuild/protobuf/wkt';

export interface Message {
  readonly subject: string;
  readonly text: string;
}

export function deletionScheduled(purgeAt: Date, completeBy: Date): Message {
  return {
    subject: 'Your audiosplit account is about to be deleted',
    text: `You have asked us to delete your account.

Its API keys have stopped working, and jobs that were waiting have been dropped.

You can change your mind until ${readable(purgeAt)}: sign in and send
POST /api/v1/account/restore. After that, everything is removed for good, by
${readable(completeBy)} at the latest.

If this was not you, restore the account now.
`,
  };
}

export function accountRestored(): Message {
  return {
    subject: 'Your audiosplit account is restored',
    text: `Your account will not be deleted. Its API keys work again.

Jobs that were waiting when you asked for the deletion have been dropped;
please create them again.
`,
  };
}

export function exportReady(publicBaseUrl: string, exportId: string, expiresAt: Date): Message {
  return {
    subject: 'Your audiosplit data export is ready',
    text: `The data of your account has been gathered. Sign in and download it:

${publicBaseUrl}/account

Programs find the download link here:

${publicBaseUrl}/api/v1/account/exports/${exportId}

The file is kept until ${readable(expiresAt)}.
`,
  };
}

export function exportFailed(): Message {
  return {
    subject: 'Your audiosplit data export has failed',
    text: `Something on our side kept us from gathering the data of your account, and
trying again did not help. Please ask for another export; this one does not
count.
`,
  };
}

export function signInLink(publicBaseUrl: string, token: string, expiresAt: Date): Message {
  return {
    subject: 'A link to sign in to audiosplit',
    text: `Many wrong passwords have been tried for your account, so for now
a password alone does not sign in from a new place.

If you want to sign in, open this link. It works once, until
${readable(expiresAt)}:

${publicBaseUrl}/sign-in/link#${token}

If you do not, there is nothing to do. Where you have signed in within 90 days,
your password works as before.
`,
  };
}

export function usageThresholdReached({ metric, percent, used, limit, periodEnd }: UsageThreshold): Message {
  const [what, figures] =
    metric === 'spend'
      ? ['spend limit', `${inDollars(used)} of ${inDollars(limit)}`]
      : ['minutes', `${used} of ${limit}`];
  const until = periodEnd === undefined ? 'the next period' : readable(timestampDate(periodEnd));
  return {
    subject: `audiosplit: ${percent} % of your ${what} used`,
    text: `Your account has used ${figures} ${metric === 'spend' ? 'that minutes beyond the plan may cost' : 'minutes of its plan'}
in this period, which ends on ${until}.

${adviceOn(metric, percent)}
`,
  };
}

function adviceOn(metric: string, percent: number): string {
  if (metric === 'spend')
    return percent < 100
      ? `Once the limit is reached, new jobs are refused until then. The limit can be
changed: PUT /api/v1/billing/spend-limit.`
      : `New jobs are refused until then, unless you raise the limit:
PUT /api/v1/billing/spend-limit.`;
  return `Beyond its minutes the Free plan refuses new jobs; other plans charge for each
further minute, up to the spend limit of the account.`;
}

/** The only currency of the plans. */
function inDollars(cents: bigint): string {
  return new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }).format(Number(cents) / 100);
}

/** For display: `14 March 2026, 09:26 UTC`. */
function readable(time: Date): string {
  const date = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(time);
  return `${date}, ${time.toISOString().slice(11, 16)} UTC`;
}
