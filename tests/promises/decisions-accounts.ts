import type { Section } from './promise.ts';

export const BILLING: Section = {
  title: 'Decisions: billing',
  promises: {
    'D-5.1': 'Payment method: PUT with a token is 200 with the method; DELETE is 204.',
    'D-5.2': 'Subscribing without one: 402 `PAYMENT_METHOD_REQUIRED`.',
    'D-5.3': 'A declined charge: 402 `PAYMENT_FAILED`, nothing changed.',
    'D-5.4': 'The provider is a port; the sandbox takes Stripe’s test tokens.',
    'D-5.5': 'The other driver is Stripe’s.',
    'D-5.6': 'A subscription is incomplete, active, past_due, unpaid or canceled.',
    'D-5.7': 'An invoice is draft, open, paid, uncollectible or void.',
    'D-5.8': 'Invoice numbers are `INV-YYYYMM-000042`, without gaps.',
    'D-5.9': 'An invoice’s PDF is real and holds its lines, at a signed link.',
    'D-5.10': 'A period is a month from the moment of subscribing; the day is kept through shorter months.',
    'D-5.11': 'A Free account’s period is the calendar month.',
    'D-5.12': '`YYYY-MM` is the period that begins in that month.',
    'D-5.13': 'An upgrade charges the difference for the time left, by the second, half up.',
    'D-5.14': 'An upgrade holds only when it is paid, and its allowance at once.',
    'D-5.15': 'A downgrade is scheduled; choosing the current plan again clears it.',
    'D-5.16': 'With nothing scheduled: 409 `PLAN_UNCHANGED`.',
    'D-5.17': 'Without a subscription: 409 `NO_ACTIVE_SUBSCRIPTION`.',
    'D-5.18':
      'Canceling at once: canceled, `cancelAtPeriodEnd` false, ends now, overage billed, nothing paid back, Free.',
    'D-5.19': 'Jobs that run go on after a cancellation at once.',
    'D-5.20': 'Canceling again at the period’s end is 200 and changes nothing.',
    'D-5.21': 'Changing to the same plan takes a cancellation at the period’s end back.',
    'D-5.22': 'A renewal is one invoice: the fee ahead, the overage behind.',
    'D-5.23': 'A failed renewal is past_due: 8 tries in 14 days, with access.',
    'D-5.24': 'After that unpaid, with the limits of Free.',
    'D-5.25': 'Money is whole minor units, rounded half up once, at the line.',
    'D-5.26': 'Time is driven by a clock of the sandbox, never by waiting.',
  },
};

export const ACCOUNT: Section = {
  title: 'Decisions: account',
  promises: {
    'D-6.1': 'A deletion stops the keys at once.',
    'D-6.2': 'A deletion drops the queued jobs.',
    'D-6.3': 'For 14 days it can be taken back.',
    'D-6.4':
      'Everything is gone in every service by `deletionScheduledAt`, 30 days at most from the request.',
    'D-6.5': 'Asking again gives the same time.',
    'D-6.6': 'While it is pending other calls are 403 `ACCOUNT_PENDING_DELETION`.',
    'D-6.7': 'The profile can be read.',
    'D-6.8': 'Exports are listed and read one by one.',
    'D-6.9': 'An export is processing, then completed, failed or expired.',
    'D-6.10': 'A completed export has `downloadUrl`, `expiresAt`, `sizeBytes`, `sha256`.',
    'D-6.11': 'One export at a time and one in 24 h, else 429 `EXPORT_TOO_FREQUENT` with `Retry-After`.',
    'D-6.12':
      'An export holds the account, keys without secrets, jobs, segments, usage, invoices with PDFs, deliveries, a manifest.',
    'D-6.13': 'csv is a zip of CSV files.',
    'D-6.14': 'Mail goes by SMTP where that is configured.',
    'D-6.15': 'Else mail is written into a folder.',
  },
};

export const REFUSALS: Section = {
  title: 'Decisions: errors and versions',
  promises: {
    'D-7.1': 'The envelope holds for errors of the framework, unknown paths and malformed JSON too.',
    'D-7.2': 'A bad page, limit or period is 400 `INVALID_PARAMS`, never put right.',
    'D-7.3': 'What belongs to another account is 404 `NOT_FOUND`.',
    'D-7.4': 'Another method: 405 `METHOD_NOT_ALLOWED`.',
    'D-7.5': 'A body over 256 KiB: 413 `PAYLOAD_TOO_LARGE`.',
    'D-7.6': 'Another type: 415 `UNSUPPORTED_MEDIA_TYPE`.',
    'D-7.7': '500 `INTERNAL_ERROR` tells nothing of the inside.',
    'D-7.8': '503 `SERVICE_UNAVAILABLE` with `Retry-After`.',
    'D-7.9': '`INVALID_PARAMS` names fields in `error.details`.',
    'D-7.10': 'Every answer has `X-Request-Id`.',
    'D-8.1': 'Within v1 nothing that the interface names goes or changes.',
    'D-8.2':
      'What is to go says so by `Deprecation` (RFC 9745) and `Sunset` (RFC 8594), 12 months ahead; so far nothing is.',
  },
};

export const SETTLED: Section = {
  title: 'Decisions: settled details',
  promises: {
    'D-9.1': 'The sandbox clock moves the caller’s billing forward, and never back.',
    'D-9.2': 'The sandbox clock is there with the sandbox provider only, else 404.',
    'D-9.3':
      '`tok_chargeDeclined` is refused on file; `tok_chargeCustomerFail` goes on file and fails when charged.',
    'D-9.4':
      'Billing of a Free account: `plan_free`, `subscription` null, `paymentMethod` null or the one on file.',
    'D-9.5': 'There are no invoices over nothing.',
    'D-9.6': 'Invoice numbers have no gap over the whole installation.',
    'D-9.7': 'Lists are newest first.',
    'D-9.8': '`totalPages` is 0 where `total` is.',
    'D-9.9': 'Unknown query parameters are 400.',
    'D-9.10': 'A source known to be forbidden is 400 at creation.',
    'D-9.11': 'A source found to be forbidden later is `SOURCE_FORBIDDEN` on the job.',
    'D-9.12': 'A source’s 401 or 403 is `SOURCE_UNREACHABLE`.',
    'D-9.13':
      'No connection in 5 s, no first byte or nothing more for 15 s, under 1 KiB a second over any 30 s, or an hour in all: `SOURCE_TIMEOUT`.',
    'D-9.14': 'Plain http to a webhook only where `EGRESS_ALLOW_CIDRS` holds its address.',
    'D-9.15': '410 stops that delivery alone.',
    'D-9.16': 'Events of one job go out in their order, without waiting for success; `data.status` tells.',
    'D-9.17': 'Kept answers with secrets are encrypted, and given to the same caller only.',
    'D-9.18': '`lastUsedAt` is null until the first use.',
    'D-9.19': '`expiresAt: null` is allowed at creation.',
    'D-9.20': 'Empty `scopes` are 400.',
    'D-9.21': 'An empty update is 200 and changes nothing.',
    'D-9.22': 'The checksum is over the 43 characters, in 0-9A-Za-z, padded to 6.',
    'D-9.23': 'Creating or rotating through a key with fewer scopes is 403.',
    'D-9.24':
      'Pending deletion: API keys are 401; reading the account, restoring it and signing in still work.',
    'D-9.25': 'Addresses know no case.',
    'D-9.26': 'Ten wrong passwords for an address in 15 minutes: 429 `RATE_LIMITED` with `Retry-After`.',
    'D-9.27': 'WAV to WAV keeps rate, channels and sample format.',
    'D-9.28': 'A segment’s file is `<base>-<index from zero, padded>.<ext>`.',
    'D-9.29': 'Downloads have no rate limit.',
    'D-9.30': 'A failed job has `completedAt` null.',
    'D-9.31': '`storageUsedBytes` are those of segments stored now.',
    'D-9.32': 'Uploads: 201 with `uploadUrl`, `sourceUrl`, `expiresAt`.',
    'D-9.33': 'Rotating a key answers like its creation.',
    'D-9.34': 'Plans: `data` of plans.',
    'D-9.35':
      'A delivery is `id`, `type`, `url`, `status`, `attempts` of `at`, `statusCode`, `error`; `nextAttemptAt`, `createdAt`.',
    'D-9.36': 'Restoring is 200 with the account.',
    'D-9.37': 'An export’s notification: `exportId`, `status`, `format`, `expiresAt`.',
    'D-9.38': '405 carries `Allow`.',
  },
};
