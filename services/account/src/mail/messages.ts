/**
 * The contents of all mails, without their formatting (`render-mail.ts`). They contain nothing chosen by the
 * account holder, because anybody can register with another person's address, and could make us send them
 * text.
 */
import type {
  AccountSuspensionChanged,
  RefundChanged,
  UsageThreshold,
} from '@audiosplit/proto/events/v1/events';
import { timestampDate } from '@bufbuild/protobuf/wkt';

export interface Message {
  readonly subject: string;
  /** Paragraphs before the link. */
  readonly before: readonly string[];
  /** The only link, to a page of the console. */
  readonly link: { readonly label: string; readonly path: string };
  readonly after: readonly string[];
}

const TO_FORGOT_PASSWORD = { label: 'Reset the password', path: '/password/forgot' };
const TO_SECURITY = { label: 'Look at your account', path: '/account/security' };

export function deletionScheduled(purgeAt: Date, completeBy: Date): Message {
  return {
    subject: 'Your audiosplit account is about to be deleted',
    before: [
      'You have asked us to delete your account. Its API keys have stopped working, and jobs that were waiting have been dropped.',
      `You can change your mind until ${readable(purgeAt)}: sign in and restore the account.`,
    ],
    link: { label: 'Restore the account', path: '/account' },
    after: [
      `After that, everything is removed for good, by ${readable(completeBy)} at the latest.`,
      'If this was not you, restore the account now and change its password.',
    ],
  };
}

export function accountRestored(): Message {
  return {
    subject: 'Your audiosplit account is restored',
    before: ['Your account will not be deleted. Its API keys work again.'],
    link: { label: 'Go to your jobs', path: '/jobs' },
    after: [
      'Jobs that were waiting when you asked for the deletion have been dropped; please create them again.',
    ],
  };
}

export function exportReady(expiresAt: Date): Message {
  return {
    subject: 'Your audiosplit data export is ready',
    before: ['The data of your account has been gathered. Sign in and download it.'],
    link: { label: 'Download your data', path: '/account' },
    after: [`The file is kept until ${readable(expiresAt)}.`],
  };
}

export function exportFailed(): Message {
  return {
    subject: 'Your audiosplit data export has failed',
    before: [
      'Something on our side kept us from gathering the data of your account, and trying again did not help.',
      'Please ask for another export; this one does not count.',
    ],
    link: { label: 'Ask for another export', path: '/account' },
    after: [],
  };
}

export function signInLink(token: string, expiresAt: Date): Message {
  return {
    subject: 'A link to sign in to audiosplit',
    before: [
      'Many wrong passwords have been tried for your account, so for now a password alone does not sign in from a new place.',
      `If you want to sign in, open this link. It works once, until ${readable(expiresAt)}.`,
    ],
    link: { label: 'Sign in', path: `/sign-in/link#${token}` },
    after: [
      'If you do not, there is nothing to do. Where you have signed in within 90 days, your password works as before.',
    ],
  };
}

export function passwordReset(token: string, expiresAt: Date): Message {
  return {
    subject: 'Reset your audiosplit password',
    before: [
      'A new password was asked for at audiosplit for the account with this address.',
      `Choose it behind this link. It works once, until ${readable(expiresAt)}.`,
    ],
    link: { label: 'Choose a new password', path: `/password/reset#${token}` },
    after: [
      'You are signed out everywhere then; API keys go on working.',
      'If you did not ask for it, there is nothing to do: your password stays as it is.',
    ],
  };
}

export function addressVerification(token: string, expiresAt: Date): Message {
  return {
    subject: 'Verify your address for audiosplit',
    before: [
      'This address was given for an account at audiosplit. Please say that it is yours.',
      `The link works once, until ${readable(expiresAt)}.`,
    ],
    link: { label: 'Verify the address', path: `/verify#${token}` },
    after: ['If you have no account at audiosplit, there is nothing to do.'],
  };
}

/** Somebody wants to move another account to this address. */
export function addressTaken(): Message {
  return {
    subject: 'Your address has an audiosplit account already',
    before: [
      'This address was given for an account at audiosplit, but it has another account already. Nothing was changed.',
    ],
    link: { label: 'Sign in', path: '/sign-in' },
    after: ['If that was not you, there is nothing to do.'],
  };
}

export function emailChangeRequested(): Message {
  return {
    subject: 'Your audiosplit account is to get another address',
    before: [
      'Another mail address was given for your account. It takes the place of this one as soon as it is verified.',
      'If this was not you, reset your password now: that takes the change back.',
    ],
    link: TO_FORGOT_PASSWORD,
    after: [],
  };
}

export function passwordChanged(): Message {
  return {
    subject: 'Your audiosplit password was changed',
    before: [
      'The password of your account was changed, and its other sessions have ended. API keys go on working.',
      'If this was not you, reset the password now.',
    ],
    link: TO_FORGOT_PASSWORD,
    after: [],
  };
}

export function secondFactorChanged(isOn: boolean): Message {
  return {
    subject: `The second factor of your audiosplit account is ${isOn ? 'on' : 'off'}`,
    before: [
      isOn
        ? 'From now on, signing in takes a code of your authenticator app as well as the password.'
        : 'From now on, signing in takes the password alone.',
      'If this was not you, change your password now and look at the sessions of your account.',
    ],
    link: TO_SECURITY,
    after: [],
  };
}

/** By an operator. */
export function secondFactorTurnedOff(): Message {
  return {
    subject: 'The second factor of your audiosplit account was turned off',
    before: [
      'We were asked to turn it off because it was lost. From now on, signing in takes the password alone, and you are signed out everywhere. API keys go on working.',
      'If you have not asked for this, reset your password now, and write to us.',
    ],
    link: TO_FORGOT_PASSWORD,
    after: ['You can set up another second factor once you are signed in.'],
  };
}

export function suspensionChanged({ suspended, reason }: AccountSuspensionChanged): Message {
  return suspended
    ? {
        subject: 'Your audiosplit account is suspended',
        before: [
          'We have suspended your account. It starts no new jobs and makes no other changes that cost money. Jobs that run are finished; those that wait in the queue stay there.',
          `The reason: ${reason}`,
          'You can still sign in, download what is finished, export your data, pay invoices, cancel your subscription and delete the account.',
        ],
        link: { label: 'Go to your account', path: '/account' },
        after: ['If you think that this is a mistake, write to us.'],
      }
    : {
        subject: 'Your audiosplit account is no longer suspended',
        before: [
          'We have ended the suspension of your account. Jobs that waited in the queue go on.',
          `The reason: ${reason}`,
        ],
        link: { label: 'Go to your jobs', path: '/jobs' },
        after: [],
      };
}

export function refundChanged({ invoiceNumber, amountCents, reason, status }: RefundChanged): Message {
  const amount = inDollars(amountCents);
  const link = { label: 'Look at your invoices', path: '/billing' };
  if (status === 'failed') {
    return {
      subject: `The refund of ${amount} of audiosplit has failed`,
      before: [
        `The bank of your card did not take the refund of ${amount} for invoice ${invoiceNumber}. Write to us, so that we find another way.`,
      ],
      link,
      after: [],
    };
  }
  return {
    subject: `audiosplit refunds you ${amount}`,
    before: [
      `We have refunded ${amount} of invoice ${invoiceNumber} to the card that has paid it. It shows there within 5 to 10 business days, depending on the bank.`,
      `The reason: ${reason}`,
    ],
    link,
    after: [],
  };
}

export function usageThresholdReached({ metric, percent, used, limit, periodEnd }: UsageThreshold): Message {
  const [what, figures] =
    metric === 'spend'
      ? ['spend limit', `${inDollars(used)} of ${inDollars(limit)}`]
      : ['minutes', `${used} of ${limit}`];
  const until = periodEnd === undefined ? 'the next period' : readable(timestampDate(periodEnd));
  const ofWhat = metric === 'spend' ? 'that minutes beyond the plan may cost' : 'minutes of its plan';
  return {
    subject: `audiosplit: ${percent} % of your ${what} used`,
    before: [
      `Your account has used ${figures} ${ofWhat} in this period, which ends on ${until}.`,
      adviceOn(metric, percent),
    ],
    link:
      metric === 'spend'
        ? { label: 'Look at your billing', path: '/billing' }
        : { label: 'Look at your usage', path: '/usage' },
    after: [],
  };
}

function adviceOn(metric: string, percent: number): string {
  if (metric === 'spend')
    return percent < 100
      ? 'Once the limit is reached, new jobs are refused until then. The limit can be changed.'
      : 'New jobs are refused until then, unless you raise the limit.';
  return 'Beyond its minutes the Free plan refuses new jobs; other plans charge for each further minute, up to the spend limit of the account.';
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
