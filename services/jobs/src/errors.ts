import { ServiceError } from '@audiosplit/chassis/errors';
import { formatExcess } from '@audiosplit/chassis/format-bytes';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { type AccountLimits, MAX_QUEUED_PER_ACCOUNT } from './job.ts';
import { minutesOf, spendLimitOf } from './minutes/limit-figures.ts';

export class JobNotFoundError extends ServiceError {
  override readonly name = 'JobNotFoundError';
  constructor(jobId: string) {
    super(Reason.JOB_NOT_FOUND, `There is no job ${jobId}.`);
  }
}

export class JobAlreadyProcessingError extends ServiceError {
  override readonly name = 'JobAlreadyProcessingError';
  constructor(jobId: string) {
    super(
      Reason.JOB_ALREADY_PROCESSING,
      `Job ${jobId} is being processed: cancel it first, or wait until it has finished.`,
    );
  }
}

export class JobAlreadyFinishedError extends ServiceError {
  override readonly name = 'JobAlreadyFinishedError';
  constructor(jobId: string, status: string) {
    super(Reason.JOB_ALREADY_FINISHED, `Job ${jobId} has already ${status}; there is nothing to cancel.`);
  }
}

export class QueueFullError extends ServiceError {
  override readonly name = 'QueueFullError';
  constructor() {
    super(
      Reason.QUEUE_FULL,
      `${MAX_QUEUED_PER_ACCOUNT} jobs are queued already, the most there can be; wait until some have been processed.`,
      { retryAfterSeconds: 30 },
    );
  }
}

export class UploadLimitReachedError extends ServiceError {
  override readonly name = 'UploadLimitReachedError';
  constructor(publicMessage: string) {
    super(Reason.UPLOAD_LIMIT_REACHED, publicMessage, { retryAfterSeconds: 10 });
  }
}

export class UploadTooLargeError extends ServiceError {
  override readonly name = 'UploadTooLargeError';
  constructor(sizeBytes: number, maxBytes: number) {
    const [size, limit] = formatExcess(sizeBytes, maxBytes);
    super(
      Reason.FILE_TOO_LARGE,
      `The file has ${size}; your plan allows ${limit}. Use a smaller file or a larger plan.`,
    );
  }
}

export class UploadNotFoundError extends ServiceError {
  override readonly name = 'UploadNotFoundError';
  constructor(uploadId: string) {
    super(
      Reason.UPLOAD_NOT_FOUND,
      `There is no upload ${uploadId}: it was removed, or has ended, or a job uses its file.`,
    );
  }
}

export class UploadOffsetConflictError extends ServiceError {
  override readonly name = 'UploadOffsetConflictError';
  constructor(arrivedBytes: number) {
    super(
      Reason.UPLOAD_OFFSET_CONFLICT,
      `${arrivedBytes} bytes of the file have arrived; continue at this offset, which HEAD returns.`,
    );
  }
}

export class FileTooLargeError extends ServiceError {
  override readonly name = 'FileTooLargeError';
  constructor(sizeBytes: number, maxBytes: number) {
    const [size, limit] = formatExcess(sizeBytes, maxBytes);
    super(
      Reason.FILE_TOO_LARGE,
      `The source has ${size}; your plan allows ${limit}. Use a smaller file or a larger plan.`,
    );
  }
}

export class QuotaExceededError extends ServiceError {
  override readonly name = 'QuotaExceededError';
  constructor(limits: AccountLimits) {
    super(
      Reason.QUOTA_EXCEEDED,
      `This month's ${minutesOf(limits)} are used up. Subscribe to a plan, or wait for the next month.`,
    );
  }
}

export class SpendLimitReachedError extends ServiceError {
  override readonly name = 'SpendLimitReachedError';
  constructor(limits: AccountLimits) {
    super(
      Reason.SPEND_LIMIT_REACHED,
      `The account's ${spendLimitOf(limits)} for minutes beyond the plan is reached. Raise it, or wait for the next period.`,
    );
  }
}

export class ConnectionLimitReachedError extends ServiceError {
  override readonly name = 'ConnectionLimitReachedError';
  constructor(maxConnections: number) {
    super(
      Reason.CONNECTION_LIMIT_REACHED,
      `The account has ${maxConnections} connections, which is the limit; delete one that is not needed any more.`,
    );
  }
}

export class ConnectionNameTakenError extends ServiceError {
  override readonly name = 'ConnectionNameTakenError';
  constructor(name: string) {
    super(Reason.CONNECTION_NAME_TAKEN, `The account has a connection ${name} already; choose another name.`);
  }
}

export class ConnectionInUseError extends ServiceError {
  override readonly name = 'ConnectionInUseError';
  constructor(name: string, jobId: string) {
    super(
      Reason.CONNECTION_IN_USE,
      `Connection ${name} is used by unfinished jobs such as ${jobId}: cancel them first, or wait until they have ended.`,
    );
  }
}

/** The key that encrypted it is no longer accepted. */
export class ConnectionSecretLostError extends ServiceError {
  override readonly name = 'ConnectionSecretLostError';
  constructor(name: string) {
    super(
      Reason.CONNECTION_SECRET_LOST,
      `The secret of connection ${name} can no longer be decrypted; delete the connection, and create it again.`,
    );
  }
}

export class AccountPendingDeletionError extends ServiceError {
  override readonly name = 'AccountPendingDeletionError';
  constructor() {
    super(
      Reason.ACCOUNT_PENDING_DELETION,
      'This account is about to be deleted; restore it to go on using it.',
    );
  }
}

export class LeaseLostError extends ServiceError {
  override readonly name = 'LeaseLostError';
  constructor(jobId: string, fence: number, endedByOwner: boolean) {
    super(Reason.LEASE_LOST, `The lease of job ${jobId} under fence ${fence} is over.`, { endedByOwner });
  }
}

export class NotClaimableError extends ServiceError {
  override readonly name = 'NotClaimableError';
  constructor(jobId: string, why: string) {
    super(Reason.NOT_CLAIMABLE, `Job ${jobId} cannot be claimed: ${why}.`);
  }
}
