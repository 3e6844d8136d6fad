import { ServiceError } from '@audiosplit/chassis/errors';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { MAX_PRESETS } from './preset.ts';

export class ActiveSubscriptionError extends ServiceError {
  override readonly name = 'ActiveSubscriptionError';
  constructor() {
    super(
      Reason.ACTIVE_SUBSCRIPTION,
      'The account has a subscription; end it with POST /api/v1/billing/cancel and immediate true, then delete the account.',
    );
  }
}

export class PresetLimitReachedError extends ServiceError {
  override readonly name = 'PresetLimitReachedError';
  constructor() {
    super(
      Reason.PRESET_LIMIT_REACHED,
      `The account has ${MAX_PRESETS} presets, which is the limit; delete one, or save under the name of one.`,
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

export class ExportTooFrequentError extends ServiceError {
  override readonly name = 'ExportTooFrequentError';
  constructor(isRunning: boolean, retryAfterSeconds: number) {
    super(
      Reason.EXPORT_TOO_FREQUENT,
      isRunning
        ? 'An export is being made already; there is one per 24 hours.'
        : 'The last export was made less than 24 hours ago; read it, or ask again later.',
      { retryAfterSeconds },
    );
  }
}
