/** The documentation of each error code. A code without a text, or a text without a code, does not compile. */
import type { JobErrorCode } from '../../schemas/splits.ts';
import type { ErrorCode } from './error-codes.ts';

export interface ErrorText {
  /** Its cause. */
  readonly when: string;
  /** What the caller can do. */
  readonly remedy: string;
}

export const ERROR_GUIDE: Record<ErrorCode, ErrorText> = {
  INVALID_PARAMS: {
    when: 'A field, a query parameter, a header or the JSON itself is not as described: missing, unknown, of the wrong type or out of bounds.',
    remedy: 'Correct what `error.details` names; where it is absent, the message says what to correct.',
  },
  UNAUTHORIZED: {
    when: 'There is no credential, or it is unknown, revoked, expired or of the wrong kind for this path; also a wrong pair of address and password, a session that has ended, and a link of a mail that was used or is too old.',
    remedy:
      'Send an API key in `X-API-Key` for jobs, or an access token in `Authorization: Bearer` for all else. Refresh an expired token, or sign in again.',
  },
  QUOTA_EXCEEDED: {
    when: 'The minutes of the Free plan are used up.',
    remedy: 'Subscribe to a plan, or wait for the next calendar month.',
  },
  PAYMENT_METHOD_REQUIRED: {
    when: 'A charge is due and no payment method is on file.',
    remedy: 'Put one on file with `PUT /api/v1/billing/payment-method`, then repeat.',
  },
  PAYMENT_FAILED: {
    when: 'The payment provider declined the charge or the card. Nothing was changed.',
    remedy: 'Put another payment method on file, then repeat.',
  },
  INVOICE_UNPAID: {
    when: 'An invoice was given up after its last try, or could not be charged when its subscription had ended.',
    remedy:
      'Pay it with `POST /api/v1/billing/invoices/{invoiceId}/pay`, maybe with another payment method on file, then repeat.',
  },
  SPEND_LIMIT_REACHED: {
    when: "The minutes beyond the plan have cost as much as the account's spend limit allows in a period.",
    remedy: 'Raise the limit with `PUT /api/v1/billing/spend-limit`, or wait for the next period.',
  },
  INVOICE_ALREADY_PAID: {
    when: 'The invoice is paid.',
    remedy: 'Nothing is left to do.',
  },
  INVOICE_NOT_PAYABLE: {
    when: 'The invoice is a draft, or void: nothing is owed for it.',
    remedy: 'Nothing is left to do.',
  },
  INSUFFICIENT_SCOPE: {
    when: 'The API key is good, but lacks a scope that the call needs or wants to grant.',
    remedy:
      'Use a key with one of the scopes that the header `X-Accepted-Scopes` names, or give the key that scope.',
  },
  SIGN_IN_LINK_SENT: {
    when: 'Many wrong passwords were sent for this address from elsewhere, and its account has not been signed in to from here in 90 days.',
    remedy:
      'Open the link that is mailed to the address, or send its token to `POST /api/v1/auth/login/link`; or sign in from where you have been signed in before.',
  },
  ACCOUNT_PENDING_DELETION: {
    when: 'The account is about to be deleted.',
    remedy: 'Call `POST /api/v1/account/restore` while the grace lasts, then repeat.',
  },
  EMAIL_NOT_VERIFIED: {
    when: 'This installation takes jobs only from accounts whose mail address is verified.',
    remedy:
      'Open the link that was mailed to it, or send its token to `POST /api/v1/auth/verify`; `POST /api/v1/account/email/verification` mails another.',
  },
  SECOND_FACTOR_REQUIRED: {
    when: 'The password or the link is right, and the account has a second factor. No link is spent.',
    remedy: 'Repeat with `code`: six digits of the authenticator app, or a recovery code.',
  },
  INVALID_SIGNATURE: {
    when: 'A link for downloading or uploading was not signed here, or was altered.',
    remedy: 'Use the link exactly as it was given, its query included.',
  },
  DOWNLOAD_EXPIRED: {
    when: 'A download link is past its time.',
    remedy: 'Read the job, the invoice or the export again: each read signs fresh links.',
  },
  UPLOAD_EXPIRED: {
    when: 'An upload link is past its time.',
    remedy: 'Ask for a new one with `POST /api/v1/uploads`.',
  },
  UPLOAD_NOT_FOUND: {
    when: 'A resumable upload was removed, or a job uses its file.',
    remedy: 'Create a new one with `POST /api/v1/uploads/tus`.',
  },
  NOT_FOUND: {
    when: 'There is nothing at this path, or nothing of this account by this id. What belongs to others is not there either.',
    remedy: 'Check the path and the id, and that the credential belongs to the account.',
  },
  JOB_NOT_FOUND: {
    when: 'The account has no job by this id: it never had, or the job was deleted.',
    remedy: 'Check the id against `GET /api/v1/splits`, with a key of the same account.',
  },
  METHOD_NOT_ALLOWED: {
    when: 'The path exists, but not with this method.',
    remedy: 'Use a method that the header `Allow` names.',
  },
  REQUEST_TIMEOUT: {
    when: 'The headers of the request did not arrive within 10 seconds, or its body not within 20 from its first byte. The connection is closed.',
    remedy:
      'Send the request again over a better connection; audio goes to an upload link, which has a pace of its own.',
  },
  UPLOAD_TIMEOUT: {
    when: 'An upload brought no byte for 10 seconds, or less than 16 KiB a second over 30 seconds. Nothing of it is kept; of a resumable one the parts before are.',
    remedy:
      'Send the whole file to the same link again, over a better connection; it works until it expires. A resumable upload goes on where HEAD tells.',
  },
  UPLOAD_OFFSET_CONFLICT: {
    when: 'A request to a resumable upload does not go on behind the bytes that have arrived, another one took over from it, or the upload is complete.',
    remedy: 'Ask for the offset with HEAD, and go on from there.',
  },
  TUS_VERSION_UNSUPPORTED: {
    when: 'A request to a resumable upload does not say `Tus-Resumable: 1.0.0`.',
    remedy: 'Send the header; every tus 1.0 client does.',
  },
  JOB_ALREADY_PROCESSING: {
    when: 'A job that is being processed cannot be deleted.',
    remedy: 'Cancel it first, or wait until it has finished.',
  },
  JOB_ALREADY_FINISHED: {
    when: 'A job that has completed or failed cannot be canceled.',
    remedy: 'Nothing: it runs no more. Delete it to remove its segments.',
  },
  JOB_NOT_COMPLETED: {
    when: 'The archive or the waveform of a job is asked for that has not completed, or has failed.',
    remedy: 'Wait until its status is `completed`; a failed job has no segments.',
  },
  EMAIL_TAKEN: {
    when: 'An account with this address exists; upper and lower case are the same.',
    remedy: 'Sign in, or register another address.',
  },
  SECOND_FACTOR_ON: {
    when: 'The account has a second factor already.',
    remedy: 'Turn it off with `DELETE /api/v1/account/second-factor`, then begin another one.',
  },
  KEY_LIMIT_REACHED: {
    when: 'The account has as many live API keys as it may have.',
    remedy: 'Revoke one that is not needed any more.',
  },
  PRESET_LIMIT_REACHED: {
    when: 'The account has as many presets as it may have.',
    remedy: 'Delete one that is not needed any more, or save under the name of one.',
  },
  ACTIVE_SUBSCRIPTION: {
    when: 'The account or its payment method cannot go while a subscription needs it.',
    remedy: 'End the subscription with `POST /api/v1/billing/cancel` and `immediate` true, then repeat.',
  },
  ALREADY_SUBSCRIBED: {
    when: 'The account has a subscription.',
    remedy: 'Move to another plan with `POST /api/v1/billing/change-plan`.',
  },
  NO_ACTIVE_SUBSCRIPTION: {
    when: 'The account has no subscription to change or cancel.',
    remedy: 'Begin one with `POST /api/v1/billing/subscribe`.',
  },
  PLAN_UNCHANGED: {
    when: 'The account is on the plan asked for, and no other is scheduled.',
    remedy: 'Choose another plan; `GET /api/v1/plans` lists them.',
  },
  PRICE_CHANGED: {
    when: 'A plan costs more by now than the console has shown. Nothing was charged or changed.',
    remedy: 'Look at the new price, and confirm that.',
  },
  IDEMPOTENCY_IN_PROGRESS: {
    when: 'The first request with this `Idempotency-Key` is still at work.',
    remedy: "Repeat the same request in a moment; it gets the first one's answer.",
  },
  ARCHIVE_TOO_LARGE: {
    when: 'The jobs of the batch have more than 10,000 segments together.',
    remedy: 'Download the archives of its jobs one by one.',
  },
  SEGMENTS_EXPIRED: {
    when: 'The segments of the job were removed at the end of the time they are kept.',
    remedy: 'Create the job again.',
  },
  FILE_TOO_LARGE: {
    when: 'The source or the upload has more bytes than the plan allows.',
    remedy: 'Use a smaller file or a larger plan.',
  },
  PAYLOAD_TOO_LARGE: {
    when: 'The body of the request is larger than 256 KiB, or 1 MiB where it lists chapters, ranges or split points; 64 KiB without a credential.',
    remedy:
      'Send less: 9,999 chapters have room for titles of 60 bytes each. Audio goes to an upload link, not into a request.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    when: 'The body is not `application/json`, or carries a `Content-Encoding`.',
    remedy: 'Send plain JSON with `Content-Type: application/json`.',
  },
  RANGE_NOT_SATISFIABLE: {
    when: 'A `Range` begins behind the end of the file.',
    remedy: 'Ask for bytes below the size that `Content-Range` tells.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    when: 'The `Idempotency-Key` was used within 24 hours for another request.',
    remedy: 'Take a new key for every new request; the same key only to repeat the same request.',
  },
  RATE_LIMITED: {
    when: 'More requests within the minute than the key, the account or the address may make; also too many wrong passwords, or too many accounts registered.',
    remedy: 'Wait for the seconds of `error.retryAfter`, which `Retry-After` repeats.',
  },
  QUEUE_FULL: {
    when: 'The account has as many queued jobs as it may have.',
    remedy: 'Wait for the seconds of `Retry-After`, or delete queued jobs.',
  },
  UPLOAD_LIMIT_REACHED: {
    when: 'The account has as many uploads in progress, or as many bytes of uploads that no job uses yet, as its plan allows. The message gives the figure.',
    remedy:
      'Wait until an upload has ended, or split what is uploaded; links that are not used end after 24 hours.',
  },
  TOO_MANY_STREAMS: {
    when: 'The account follows as many jobs at once as it may.',
    remedy: 'Close a stream that is not needed, or have notifications sent to a `webhookUrl`.',
  },
  EXPORT_TOO_FREQUENT: {
    when: 'An export is being made, or was made within 24 hours.',
    remedy: 'Read that one with `GET /api/v1/account/exports`, or wait for the seconds of `Retry-After`.',
  },
  INTERNAL_ERROR: {
    when: 'Something broke on the side of the service.',
    remedy: 'Repeat with the same `Idempotency-Key`. If it stays, report the `X-Request-Id` of the answer.',
  },
  NOT_IMPLEMENTED: {
    when: 'The installation runs a version of a service that does not know this call yet.',
    remedy: 'Nothing on the side of the caller: the operator updates that service.',
  },
  SERVICE_UNAVAILABLE: {
    when: 'A part of the service is away or overloaded for the moment.',
    remedy: 'Wait for the seconds of `Retry-After`, then repeat with the same `Idempotency-Key`.',
  },
};

/** In the order in which they are documented: by status. */
export const ERROR_CODES = Object.keys(ERROR_GUIDE) as ErrorCode[];

export const JOB_ERROR_GUIDE: Record<JobErrorCode, ErrorText> = {
  SOURCE_UNREACHABLE: {
    when: "The source's host did not answer, broke off, redirected too often, or answered with a status that is no success, 401 and 403 included.",
    remedy: 'Give a URL that anyone can fetch without signing in, or upload the file.',
  },
  SOURCE_TIMEOUT: {
    when: 'The source was not connected to in 5 seconds, sent no first byte in 15 (asked twice), nothing for 15 seconds later on, or less than 1 KiB a second over 30 seconds, or took more than an hour.',
    remedy: 'Host the file somewhere faster, or upload it.',
  },
  SOURCE_FORBIDDEN: {
    when: "The source's address is private, local or otherwise not fetched from.",
    remedy: 'Give a publicly reachable address, or upload the file.',
  },
  UNSUPPORTED_MEDIA: {
    when: 'The source holds no audio that can be read: it is of another kind, damaged, or empty.',
    remedy: 'Check that the URL gives the audio file itself and not a page about it.',
  },
  FILE_TOO_LARGE: {
    when: 'The source turned out to have more bytes than the plan allows.',
    remedy: 'Use a smaller file or a larger plan.',
  },
  SEGMENT_LIMIT_UNREACHABLE: {
    when: '`maxFileSize` cannot hold even a header and one frame of this audio, `overlap` is half of a segment or more, or the source is too short for so many parts.',
    remedy: 'Allow larger segments, choose a smaller output format, or ask for less overlap or fewer parts.',
  },
  TOO_MANY_SEGMENTS: {
    when: 'The job would give more than 10,000 segments.',
    remedy: 'Choose longer or larger segments.',
  },
  NO_SOUND: {
    when: 'The source is silent from beginning to end, and `silence.keepSilence` drops silences.',
    remedy: 'Check the source and the track, lower `silence.threshold`, or leave `keepSilence` out.',
  },
  NO_CHAPTERS: {
    when: 'The source has no chapters, or none is left in what `trim` leaves.',
    remedy: 'Give `chapters` in the request, or choose another `splitMode`.',
  },
  RANGE_OUTSIDE_SOURCE: {
    when: 'A range, or `trim.start`, begins at or beyond the end of the source.',
    remedy: 'Correct the times: the message names the range and the length of the source.',
  },
  TOO_MUCH_OVERLAP: {
    when: 'More than 16 ranges overlap at one moment, far into the source: it would be read once for each of them.',
    remedy: 'Ask for the ranges in several jobs, at most 16 that overlap in each.',
  },
  NO_SUCH_TRACK: {
    when: 'The source has no audio track of this index or language.',
    remedy: 'Choose one of the tracks that the message names, or leave `audioTrack` out.',
  },
  ENCODING_UNSUPPORTED: {
    when: "Without `outputFormat` the source's own format is encoded, and that format cannot do what `encoding` asks for.",
    remedy: 'Give an `outputFormat`, or values that the message names.',
  },
  QUOTA_EXCEEDED: {
    when: 'The source, or with other modes and options the sum of its segments, is longer than the minutes that the Free plan has left.',
    remedy: 'Split less of it, subscribe to a plan, or wait for the next calendar month.',
  },
  SPEND_LIMIT_REACHED: {
    when: "The job's minutes beyond the plan would cost more than the account's spend limit leaves in the period.",
    remedy: 'Raise the limit with `PUT /api/v1/billing/spend-limit`, or wait for the next period.',
  },
  OUTPUT_TOO_LARGE: {
    when: 'The segments together would take more bytes than the plan allows (`maxOutputBytes` of `GET /api/v1/plans`), or more than a worker can hold at once. The message names both figures. Overlap and ranges that overlap count each time that they are written, and a cover picture in every segment.',
    remedy: 'Choose a smaller format, rate or overlap, split less of the source, or change the plan.',
  },
  TIMED_OUT: {
    when: 'The job took longer than a job may take.',
    remedy: 'Split the source in shorter parts, or try at another time.',
  },
  CANCELED: {
    when: '`POST /api/v1/splits/{jobId}/cancel` stopped the job.',
    remedy: 'Create the job again if it is still wanted.',
  },
  INTERNAL_ERROR: {
    when: 'The splitting broke on the side of the service, repeatedly.',
    remedy: 'Create the job again; report the id of the job if it stays.',
  },
};
