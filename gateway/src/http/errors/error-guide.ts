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
    when: 'A field, a query parameter, a header or the JSON itself is invalid: missing, unknown, of the wrong type or out of bounds.',
    remedy: 'Correct the fields in `error.details`; if it is absent, the message says what to correct.',
  },
  UNAUTHORIZED: {
    when: 'The credential is missing, unknown, revoked, expired or of the wrong kind for this path; also a wrong mail address or password, an ended session, or a mailed link that was used or has expired.',
    remedy:
      'Send an API key in `X-API-Key` for jobs, or an access token in `Authorization: Bearer` for everything else. Refresh an expired token, or sign in again.',
  },
  QUOTA_EXCEEDED: {
    when: 'The minutes of the Free plan are used up.',
    remedy: 'Subscribe to a plan, or wait for the next calendar month.',
  },
  PAYMENT_METHOD_REQUIRED: {
    when: 'A charge is due and no payment method is on file.',
    remedy: 'Add one with `PUT /api/v1/billing/payment-method`, then repeat.',
  },
  PAYMENT_FAILED: {
    when: 'The payment provider declined the charge or the card. Nothing was changed.',
    remedy: 'Add another payment method, then repeat.',
  },
  INVOICE_UNPAID: {
    when: 'An invoice was given up after its last attempt, or could not be charged after its subscription had ended.',
    remedy:
      'Pay it with `POST /api/v1/billing/invoices/{invoiceId}/pay`, if necessary with another payment method, then repeat.',
  },
  SPEND_LIMIT_REACHED: {
    when: "The minutes beyond the plan have cost as much as the account's spend limit allows in a period.",
    remedy: 'Raise the limit with `PUT /api/v1/billing/spend-limit`, or wait for the next period.',
  },
  INVOICE_ALREADY_PAID: {
    when: 'The invoice is paid.',
    remedy: 'There is nothing left to do.',
  },
  INVOICE_NOT_PAYABLE: {
    when: 'The invoice is a draft, or void: nothing is owed for it.',
    remedy: 'There is nothing left to do.',
  },
  INSUFFICIENT_SCOPE: {
    when: 'The API key is valid, but lacks a scope that the call requires or is to grant.',
    remedy:
      'Use a key with one of the scopes that the header `X-Accepted-Scopes` names, or give the key that scope.',
  },
  SIGN_IN_LINK_SENT: {
    when: 'Many wrong passwords were sent for this address from elsewhere, and its account has had no sign-in from here in 90 days.',
    remedy:
      'Open the link that is mailed to the address, or send its token to `POST /api/v1/auth/login/link`; or sign in from a place where you have signed in before.',
  },
  ACCOUNT_PENDING_DELETION: {
    when: 'The account is about to be deleted.',
    remedy: 'Call `POST /api/v1/account/restore` within the grace period, then repeat.',
  },
  ACCOUNT_SUSPENDED: {
    when: 'The operator of this installation has suspended the account; the message gives the reason. Reading, downloading, exporting, deleting, canceling and paying still work.',
    remedy:
      'Resolve the reason with the operator, then repeat. `GET /api/v1/account` shows whether it is still suspended.',
  },
  EMAIL_NOT_VERIFIED: {
    when: 'This installation accepts jobs only from accounts with a verified mail address.',
    remedy:
      'Open the link that was mailed to it, or send its token to `POST /api/v1/auth/verify`; `POST /api/v1/account/email/verification` mails another.',
  },
  SECOND_FACTOR_REQUIRED: {
    when: 'The password or the link is correct, but the account has a second factor. A link is not used up.',
    remedy: 'Repeat with `code`: six digits of the authenticator app, or a recovery code.',
  },
  INVALID_SIGNATURE: {
    when: 'A download or upload link was not signed here, or was altered.',
    remedy: 'Use the link unchanged, including its query.',
  },
  DOWNLOAD_EXPIRED: {
    when: 'A download link has expired.',
    remedy: 'Read the job, the invoice or the export again: each read returns new links.',
  },
  UPLOAD_EXPIRED: {
    when: 'An upload link has expired.',
    remedy: 'Request a new one with `POST /api/v1/uploads`.',
  },
  UPLOAD_NOT_FOUND: {
    when: 'A resumable upload was removed, or a job uses its file.',
    remedy: 'Create a new one with `POST /api/v1/uploads/tus`.',
  },
  NOT_FOUND: {
    when: 'The path does not exist, or the account has nothing with this id. The same response is given for what belongs to other accounts.',
    remedy: 'Check the path and the id, and that the credential belongs to the account.',
  },
  JOB_NOT_FOUND: {
    when: 'The account has no job with this id: it never existed, or it was deleted.',
    remedy: 'Check the id against `GET /api/v1/splits`, with a key of the same account.',
  },
  METHOD_NOT_ALLOWED: {
    when: 'The path exists, but not with this method.',
    remedy: 'Use a method listed in the header `Allow`.',
  },
  REQUEST_TIMEOUT: {
    when: 'The headers of the request did not arrive within 10 seconds, or its body not within 20 from its first byte. The connection is closed.',
    remedy:
      'Send the request again over a better connection; send audio to an upload link, which has separate limits.',
  },
  UPLOAD_TIMEOUT: {
    when: 'An upload sent no byte for 10 seconds, or less than 16 KiB a second over 30 seconds. Nothing of it is stored, except the earlier parts of a resumable upload.',
    remedy:
      'Send the whole file to the same link again, over a better connection; it works until it expires. A resumable upload continues at the offset that HEAD returns.',
  },
  UPLOAD_OFFSET_CONFLICT: {
    when: 'A request to a resumable upload does not start at the current offset, another request has taken over from it, or the upload is complete.',
    remedy: 'Read the offset with HEAD, and continue from there.',
  },
  TUS_VERSION_UNSUPPORTED: {
    when: 'A request to a resumable upload lacks the header `Tus-Resumable: 1.0.0`.',
    remedy: 'Send the header; every tus 1.0 client does.',
  },
  JOB_ALREADY_PROCESSING: {
    when: 'A job that is being processed cannot be deleted.',
    remedy: 'Cancel it first, or wait until it has finished.',
  },
  JOB_ALREADY_FINISHED: {
    when: 'A job that has completed or failed cannot be canceled.',
    remedy: 'Nothing: it has ended. Delete it to remove its segments.',
  },
  JOB_NOT_COMPLETED: {
    when: 'The archive or the waveform was requested of a job that has not completed, or has failed.',
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
    when: 'The account has reached its maximum of live API keys.',
    remedy: 'Revoke one that is no longer needed.',
  },
  CONNECTION_LIMIT_REACHED: {
    when: 'The account has reached its maximum of connections.',
    remedy: 'Delete one that is not needed any more.',
  },
  CONNECTION_NAME_TAKEN: {
    when: 'The account already has a connection with this name.',
    remedy: 'Choose another name, or delete the existing connection first.',
  },
  CONNECTION_IN_USE: {
    when: 'A queued or running job uses the connection.',
    remedy: 'Wait until its jobs have ended, or cancel them.',
  },
  CONNECTION_SECRET_LOST: {
    when: 'The secret of the connection can no longer be decrypted, because the keys of the service were replaced without a transition.',
    remedy: 'Delete the connection, and create it again with the same name.',
  },
  PRESET_LIMIT_REACHED: {
    when: 'The account has reached its maximum of presets.',
    remedy: 'Delete one that is not needed any more, or save under the name of one.',
  },
  ACTIVE_SUBSCRIPTION: {
    when: 'The account or its payment method cannot be removed while a subscription needs it.',
    remedy: 'End the subscription with `POST /api/v1/billing/cancel` and `immediate` true, then repeat.',
  },
  ALREADY_SUBSCRIBED: {
    when: 'The account has a subscription.',
    remedy: 'Move to another plan with `POST /api/v1/billing/change-plan`.',
  },
  NO_ACTIVE_SUBSCRIPTION: {
    when: 'The account has no subscription: there is none to change or cancel, and no overage to limit.',
    remedy: 'Begin one with `POST /api/v1/billing/subscribe`.',
  },
  PLAN_UNCHANGED: {
    when: 'The account is already on the requested plan, and no other one is scheduled.',
    remedy: 'Choose another plan; `GET /api/v1/plans` lists them.',
  },
  PRICE_CHANGED: {
    when: 'The plan now costs more than the console showed. Nothing was charged or changed.',
    remedy: 'Check the new price and confirm it.',
  },
  IDEMPOTENCY_IN_PROGRESS: {
    when: 'The first request with this `Idempotency-Key` is still in progress.',
    remedy: "Repeat the same request in a moment; it receives the first one's answer.",
  },
  ARCHIVE_TOO_LARGE: {
    when: 'The jobs of the batch have more than 10,000 segments together.',
    remedy: 'Download the archives of its jobs one by one.',
  },
  SEGMENTS_EXPIRED: {
    when: 'The segments of the job were removed at the end of their retention.',
    remedy: 'Create the job again.',
  },
  FILE_TOO_LARGE: {
    when: 'The source or the upload has more bytes than the plan allows.',
    remedy: 'Use a smaller file or a larger plan.',
  },
  PAYLOAD_TOO_LARGE: {
    when: 'The body of the request is larger than 256 KiB, or 1 MiB where it lists chapters, ranges or split points; 64 KiB without a credential.',
    remedy:
      'Send less: 9,999 chapters can have titles of 60 bytes each. Send audio to an upload link, not in a request.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    when: 'The body is not `application/json`, or carries a `Content-Encoding`.',
    remedy: 'Send plain JSON with `Content-Type: application/json`.',
  },
  RANGE_NOT_SATISFIABLE: {
    when: 'A `Range` begins after the end of the file.',
    remedy: 'Request bytes below the size given in `Content-Range`.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    when: 'The `Idempotency-Key` was used within 24 hours for another request.',
    remedy: 'Use a new key for every new request, and the same key only to repeat a request.',
  },
  RATE_LIMITED: {
    when: 'The key, the account or the address has exceeded its requests per minute; also too many wrong passwords, or too many registered accounts.',
    remedy: 'Wait for the seconds of `error.retryAfter`, which `Retry-After` repeats.',
  },
  QUEUE_FULL: {
    when: 'The account has reached its maximum of queued jobs.',
    remedy: 'Wait for the seconds of `Retry-After`, or delete queued jobs.',
  },
  UPLOAD_LIMIT_REACHED: {
    when: 'The account has reached the maximum of its plan: of uploads in progress, or of bytes of uploads that no job uses yet. The message gives the figure.',
    remedy:
      'Wait until an upload has ended, or split the uploaded files; unused links expire after 24 hours.',
  },
  TOO_MANY_STREAMS: {
    when: 'The account or the address has reached its maximum of open event streams.',
    remedy: 'Close an unneeded stream, or receive notifications at a `webhookUrl`.',
  },
  EXPORT_TOO_FREQUENT: {
    when: 'An export is in progress, or was created within 24 hours.',
    remedy: 'Read that one with `GET /api/v1/account/exports`, or wait for the seconds of `Retry-After`.',
  },
  INTERNAL_ERROR: {
    when: 'The service has failed internally.',
    remedy:
      'Repeat with the same `Idempotency-Key`. If the error persists, report the `X-Request-Id` of the response.',
  },
  NOT_IMPLEMENTED: {
    when: 'The installation runs a version of a service that does not know this call yet.',
    remedy: 'The caller can do nothing: the operator must update that service.',
  },
  SERVICE_UNAVAILABLE: {
    when: 'A part of the service is temporarily unavailable or overloaded.',
    remedy: 'Wait for the seconds of `Retry-After`, then repeat with the same `Idempotency-Key`.',
  },
};

/** In the order of the documentation: by status. */
export const ERROR_CODES = Object.keys(ERROR_GUIDE) as ErrorCode[];

export const JOB_ERROR_GUIDE: Record<JobErrorCode, ErrorText> = {
  SOURCE_UNREACHABLE: {
    when: "The source's host did not answer, broke off, redirected too often, or answered with an error status such as 401 or 403.",
    remedy: 'Give a URL that anyone can fetch without signing in, or upload the file.',
  },
  SOURCE_TIMEOUT: {
    when: 'The source did not accept a connection within 5 seconds, sent no first byte within 15 (requested twice), later sent nothing for 15 seconds or less than 1 KiB a second over 30 seconds, or took more than an hour.',
    remedy: 'Host the file somewhere faster, or upload it.',
  },
  SOURCE_FORBIDDEN: {
    when: "The source's address is private, local or otherwise not allowed.",
    remedy: 'Give a publicly reachable address, or upload the file.',
  },
  FORBIDDEN_BY_STORE: {
    when: 'The store of a connection rejects the key, or the key lacks permissions that the job needs. The message contains the error of the store.',
    remedy:
      'Correct the permissions of the key at the store, or the connection, and test it with `POST /api/v1/connections/:id/test`.',
  },
  DESTINATION_UNREACHABLE: {
    when: 'The bucket of `destination` does not answer, does not exist or is full, or its connection was deleted. The message contains the error of the store.',
    remedy:
      'Check the bucket, and test the connection with `POST /api/v1/connections/:id/test`; then create the job again.',
  },
  UNSUPPORTED_MEDIA: {
    when: 'The source contains no readable audio: it has another format, or is damaged or empty.',
    remedy: 'Check that the URL returns the audio file itself and not a page about it.',
  },
  FILE_TOO_LARGE: {
    when: 'The source turned out to have more bytes than the plan allows.',
    remedy: 'Use a smaller file or a larger plan.',
  },
  SEGMENT_LIMIT_UNREACHABLE: {
    when: '`maxFileSize` cannot hold even a header and one frame of this audio, `overlap` is half of a segment or more, or the source is too short for the number of parts.',
    remedy: 'Allow larger segments, choose a smaller output format, less overlap or fewer parts.',
  },
  TOO_MANY_SEGMENTS: {
    when: 'The job would produce more than 10,000 segments.',
    remedy: 'Choose longer or larger segments.',
  },
  NO_SOUND: {
    when: 'The source is silent from beginning to end, and `silence.keepSilence` drops silences.',
    remedy: 'Check the source and the track, lower `silence.threshold`, or leave `keepSilence` out.',
  },
  NO_CHAPTERS: {
    when: 'The source has no chapters, or none within `trim`.',
    remedy: 'Give `chapters` in the request, or choose another `splitMode`.',
  },
  RANGE_OUTSIDE_SOURCE: {
    when: 'A range, or `trim.start`, begins at or beyond the end of the source.',
    remedy: 'Correct the times: the message names the range and the length of the source.',
  },
  TOO_MUCH_OVERLAP: {
    when: 'More than 16 ranges overlap at one moment late in the source, which would have to be read once for each of them.',
    remedy: 'Distribute the ranges over several jobs, each with at most 16 that overlap.',
  },
  NO_SUCH_TRACK: {
    when: 'The source has no audio track with this index or language.',
    remedy: 'Choose one of the tracks in the message, or omit `audioTrack`.',
  },
  ENCODING_UNSUPPORTED: {
    when: 'The request leaves the format, the sample rate or the channels to the source, with which the requested `encoding` is not supported.',
    remedy: 'Set an `outputFormat`, or values listed in the message.',
  },
  QUOTA_EXCEEDED: {
    when: 'The source, or with other modes and options the sum of its segments, is longer than the remaining minutes of the Free plan.',
    remedy: 'Split less of it, subscribe to a plan, or wait for the next calendar month.',
  },
  SPEND_LIMIT_REACHED: {
    when: "The job's minutes beyond the plan would cost more than the account's spend limit leaves in the period.",
    remedy: 'Raise the limit with `PUT /api/v1/billing/spend-limit`, or wait for the next period.',
  },
  OUTPUT_TOO_LARGE: {
    when: 'The segments together would take more bytes than the plan allows (`maxOutputBytes` of `GET /api/v1/plans`), or more than a worker can store at once. The message gives both figures. Overlap and overlapping ranges count each time they are written, and a cover picture counts in every segment.',
    remedy: 'Choose a smaller format, rate or overlap, split less of the source, or change the plan.',
  },
  TIMED_OUT: {
    when: 'The job took longer than the time limit of a job.',
    remedy: 'Split the source in shorter parts, or try at another time.',
  },
  CANCELED: {
    when: '`POST /api/v1/splits/{jobId}/cancel` stopped the job.',
    remedy: 'Create the job again if it is still wanted.',
  },
  INTERNAL_ERROR: {
    when: 'Splitting failed repeatedly because of an internal error.',
    remedy: 'Create the job again; report the id of the job if it stays.',
  },
};
