import type { Section } from './promise.ts';

export const ENDPOINTS: Section = {
  title: 'Endpoints',
  promises: {
    'I-4.0.1': 'All fourteen are there under their method and path.',
    'I-4.0.2': '3 to 6 take an API key, the others an access token; nothing else lets in.',
    'I-4.0.3': 'A body of another type than application/json is refused.',
    'I-4.1.1': 'Create key: `name` is required.',
    'I-4.1.2': 'Create key: `scopes` are among the three; left out, the key has all.',
    'I-4.1.3': 'Create key: `expiresAt` is ISO 8601; left out, the key does not end.',
    'I-4.1.4': 'Create key: 201 with `id`, `name`, `key`, `scopes`, `createdAt`, `expiresAt`.',
    'I-4.1.5': 'Create key: 401 `UNAUTHORIZED` for a token that is invalid or expired.',
    'I-4.1.6': 'Create key: counts towards the rate limit.',
    'I-4.2.1': 'Update key: `name`, `scopes` and `expiresAt` may be given; null takes the end away.',
    'I-4.2.2': 'Update key: what is not given stays.',
    'I-4.2.3':
      'Update key: 200 with `id`, `name`, `keyPreview`, `scopes`, `lastUsedAt`, `createdAt`, `expiresAt`, `updatedAt`.',
    'I-4.2.4': 'Update key: 404 `NOT_FOUND` for a key that is not there.',
    'I-4.3.1': 'Create job: `sourceUrl` is required and a URL.',
    'I-4.3.2': 'Create job: `splitMode` is required, duration or fileSize.',
    'I-4.3.3': 'Create job: `segmentDuration` is required with duration.',
    'I-4.3.4': 'Create job: `maxFileSize` is required with fileSize.',
    'I-4.3.5': 'Create job: `outputFormat` is one of the five; left out, it is that of the source.',
    'I-4.3.6': 'Create job: `webhookUrl` may be given, and is notified of the status.',
    'I-4.3.7': 'Create job: `metadata` may be given, with any names and values.',
    'I-4.3.8': 'Create job: 201 with the queued job: what was asked for, and `createdAt`.',
    'I-4.3.9': 'Create job: 400 `INVALID_PARAMS`, also for a required field that is missing.',
    'I-4.3.10': 'Create job: 401 `UNAUTHORIZED` for a key that is missing or invalid.',
    'I-4.3.11': 'Create job: 413 `FILE_TOO_LARGE` for a source above what the plan allows.',
    'I-4.3.12': 'Create job: counts towards the rate limit.',
    'I-4.4.1': 'List jobs: `page` is 1 unless given.',
    'I-4.4.2': 'List jobs: `limit` is 20 unless given, 100 at most.',
    'I-4.4.3': 'List jobs: `status` filters.',
    'I-4.4.4': 'List jobs: `sortBy` is createdAt unless given, or completedAt.',
    'I-4.4.5': 'List jobs: `sortOrder` is desc unless given, or asc.',
    'I-4.4.6':
      'List jobs: rows of `id`, `status`, `splitMode`, the mode’s field, `outputFormat`, `segmentCount`, `createdAt`, `completedAt`; and `pagination`.',
    'I-4.5.1':
      'Get job, completed: `id`, `status`, `splitMode`, the mode’s field, `outputFormat`, the source’s name, length and size, `segments`, `metadata` and both times.',
    'I-4.5.2': 'Get job, processing: `id`, `status`, `progress`, `splitMode`, the mode’s field, `createdAt`.',
    'I-4.5.3': 'Get job: 404 `JOB_NOT_FOUND`.',
    'I-4.6.1': 'Delete job: 204 without a body.',
    'I-4.6.2': 'Delete job: 404 `JOB_NOT_FOUND`.',
    'I-4.6.3': 'Delete job: 409 `JOB_ALREADY_PROCESSING` while it is processed.',
    'I-4.7.1': 'Delete account: `confirmation` must be `DELETE MY ACCOUNT`, else 400 `INVALID_PARAMS`.',
    'I-4.7.2': 'Delete account: 200 with `message` and `deletionScheduledAt`.',
    'I-4.7.3': 'Delete account: 409 `ACTIVE_SUBSCRIPTION` while subscribed.',
    'I-4.8.1': 'Export: `format` is json unless given, or csv.',
    'I-4.8.2': 'Export: `webhookUrl` may be given, and is notified when it is ready.',
    'I-4.8.3': 'Export: 202 with `exportId`, `status`, `format`, `estimatedCompletionAt`, `message`.',
    'I-4.8.4': 'Export: made behind the answer, told by mail or webhook.',
    'I-4.9.1': 'Subscribe: `planId` is required, one of the three.',
    'I-4.9.2': 'Subscribe: a payment method must be on file.',
    'I-4.9.3':
      'Subscribe: 201 with `subscription`: `id`, `planId`, `status`, `currentPeriodStart`, `currentPeriodEnd`.',
    'I-4.9.4': 'Subscribe: 409 `ALREADY_SUBSCRIBED`.',
    'I-4.10.1': 'Change plan: `planId` is required, one of the three.',
    'I-4.10.2':
      'Change plan, up: 200 with `subscription` of `id`, `planId`, `status`, `currentPeriodEnd`; `proration` of `amount`, `currency`, `description`; `message`.',
    'I-4.10.3':
      'Change plan, down: 200 with `subscription` still on its plan and with `scheduledPlanId`; `message`; no `proration`.',
    'I-4.11.1': 'Cancel: `reason` may be given.',
    'I-4.11.2': 'Cancel: `immediate` is false unless given; true cancels at once.',
    'I-4.11.3':
      'Cancel: 200 with `subscription` of `id`, `status`, `cancelAtPeriodEnd`, `currentPeriodEnd`; `message`.',
    'I-4.12.1': 'Invoices: `page` is 1 and `limit` 20 unless given, 100 at most.',
    'I-4.12.2': 'Invoices: 200 with `data` of invoices and `pagination`.',
    'I-4.13.1':
      'Billing: 200 with `plan`, `subscription` of `status`, both ends of the period and `cancelAtPeriodEnd`; and `paymentMethod`.',
    'I-4.14.1': 'Usage: `period` is current unless given, or previous, or a month as `YYYY-MM`.',
    'I-4.14.2': 'Usage: 200 with `period`, `usage`, `cost`.',
  },
};

export const AUTHENTICATION: Section = {
  title: 'Authentication',
  promises: {
    'I-5.1': 'API keys come in `X-API-Key`, for 3 to 6.',
    'I-5.2': 'Access tokens come as `Authorization: Bearer`, for 1, 2 and 7 to 14.',
    'I-5.3': 'A missing or invalid key on a job endpoint is 401 `UNAUTHORIZED`.',
    'I-5.4': 'An invalid or expired token is 401 `UNAUTHORIZED`.',
    'I-5.5': 'A key has scopes and may have an end; a new one has all scopes unless told otherwise.',
    'I-5.6': 'The secret is shown once, when it is made.',
  },
};

export const EVENTS: Section = {
  title: 'Events',
  promises: {
    'I-6.1': 'A job’s `webhookUrl` is notified of its status.',
    'I-6.2': 'An export’s `webhookUrl` is notified when it is ready.',
    'I-6.3': 'An export is told by mail as well.',
  },
};

export const ERRORS: Section = {
  title: 'Errors',
  promises: {
    'I-7.1': 'Every error is `error` with `code`, `message` and `status`.',
    'I-7.2': '`error.retryAfter` in seconds, with `RATE_LIMITED` and no other code.',
    'I-7.3': '400 `INVALID_PARAMS`: a parameter that is invalid or missing.',
    'I-7.4': '400 `INVALID_PARAMS`: other words than those that confirm a deletion.',
    'I-7.5': '401 `UNAUTHORIZED`: a credential that is invalid, missing or expired.',
    'I-7.6': '404 `NOT_FOUND`: a key that is not there.',
    'I-7.7': '404 `JOB_NOT_FOUND`: a job that is not there.',
    'I-7.8': '409 `JOB_ALREADY_PROCESSING`: deleting a job that is processed.',
    'I-7.9': '409 `ACTIVE_SUBSCRIPTION`: deleting an account that is subscribed.',
    'I-7.10': '409 `ALREADY_SUBSCRIBED`: subscribing twice.',
    'I-7.11': '413 `FILE_TOO_LARGE`: a source above what the plan allows.',
    'I-7.12': '429 `RATE_LIMITED`: too many requests in a minute; `Retry-After` is set as well.',
  },
};

export const LIMITS: Section = {
  title: 'Limits and versioning',
  promises: {
    'I-8.1': 'Free: 10 requests a minute, 2 jobs at a time.',
    'I-8.2': 'Starter: 60 requests a minute, 5 jobs at a time.',
    'I-8.3': 'Pro: 300 requests a minute, 20 jobs at a time.',
    'I-8.4': 'Enterprise: figures of its own.',
    'I-8.5': '`X-RateLimit-Limit`: the most requests in a window.',
    'I-8.6': '`X-RateLimit-Remaining`: those that are left.',
    'I-8.7': '`X-RateLimit-Reset`: the Unix time at which the window ends.',
    'I-8.8': 'Every answer carries the three.',
    'I-8.9': 'Beyond the limit: 429, `RATE_LIMITED`, the seconds in the body and in `Retry-After`.',
    'I-8.10': '1, 3, 4, 5 and 6 count.',
    'I-8.11': 'Each API key has a limit of its own.',
    'I-8.12': 'Free: 60 minutes a month, and no more.',
    'I-8.13': 'Starter: 500 minutes a month, two cents for each beyond.',
    'I-8.14': 'Pro: 5,000 minutes a month, one cent for each beyond.',
    'I-8.15': 'Enterprise: minutes and overage of its own.',
    'I-8.16': 'Pages of jobs and of invoices: 20 rows, at most 100.',
    'I-8.17': 'Pro takes sources of up to 2,147,483,648 bytes.',
    'I-8.18': 'Account data is gone within 30 days of the request.',
    'I-8.19': 'A segment’s link ends at its `expiresAt`.',
    'I-9.1': 'All endpoints lie under `/api/v1`.',
  },
};
