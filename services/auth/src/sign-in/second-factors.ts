/**
 * The second factor of an account: codes of an authenticator app, or recovery codes instead. Each code works
 * once. Wrong codes are limited per account and not per caller, because their callers have the password.
 */
import type { Clock } from '@audiosplit/chassis/clock';
import { InvalidParamsError, NotFoundError, ServiceError } from '@audiosplit/chassis/errors';
import { appendToOutbox } from '@audiosplit/chassis/outbox/outbox';
import { type Pool, withTransaction } from '@audiosplit/chassis/postgres/pool';
import type { SecretBox } from '@audiosplit/chassis/secrets/secret-box';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { mailRequested } from '../events.ts';
import { count } from '../metrics.ts';
import { findHolder, lockHolder } from '../store/accounts.ts';
import { countAttempt, undoAttempt } from '../store/attempt-windows.ts';
import {
  beginSecondFactor,
  countRecoveryCodes,
  deleteSecondFactor,
  enableSecondFactor,
  findSecondFactor,
  replaceRecoveryCodes,
  useRecoveryCode,
  useStep,
} from '../store/second-factors.ts';
import { deleteSessionsOf } from '../store/sessions.ts';
import { windowIsFull } from './attempt-window.ts';
import { checkPassword, type PasswordCheck } from './check-password.ts';
import {
  isAppCode,
  newRecoveryCodes,
  newSecret,
  normalizeCode,
  secondsOff,
  sha256OfRecoveryCode,
  stepOf,
  toBase32,
  toUri,
} from './one-time-code.ts';
import { SIGN_IN_WINDOW_MS } from './sign-in-throttle.ts';

interface SecondFactorsOptions extends PasswordCheck {
  readonly box: SecretBox;
  readonly wakeRelay: () => void;
  readonly clock: Clock;
}

interface Confirmation {
  readonly accountId: string;
  readonly current: string;
  readonly clientIp: string;
}

export interface SecondFactors {
  /**
   * Called at a sign-in. Throws SECOND_FACTOR_REQUIRED without a code, UNAUTHORIZED, RATE_LIMITED. Does
   * nothing if it is off.
   */
  check(accountId: string, code: string): Promise<void>;
  /** Undefined: off. */
  find(
    accountId: string,
  ): Promise<{ readonly enabledAt: Date; readonly recoveryCodesLeft: number } | undefined>;
  /** Throws INVALID_PARAMS, RATE_LIMITED, SECOND_FACTOR_ON, NOT_FOUND. */
  begin(confirmation: Confirmation): Promise<{ readonly secret: string; readonly uri: string }>;
  /** Returns the recovery codes. Throws INVALID_PARAMS, NOT_FOUND, SECOND_FACTOR_ON. */
  confirm(accountId: string, code: string): Promise<readonly string[]>;
  /** Throws INVALID_PARAMS, RATE_LIMITED, NOT_FOUND. */
  renewRecoveryCodes(confirmation: Confirmation & { readonly code: string }): Promise<readonly string[]>;
  /** Throws INVALID_PARAMS, RATE_LIMITED, NOT_FOUND. */
  remove(confirmation: Confirmation & { readonly code: string }): Promise<void>;
  /** Called by an operator if a holder has lost it. All sessions end. Throws NOT_FOUND. */
  turnOff(accountId: string): Promise<void>;
}

export function createSecondFactors(options: SecondFactorsOptions): SecondFactors {
  const { pool, box, bounds, wakeRelay, clock } = options;

  const enabledOf = async (accountId: string) => {
    const factor = await findSecondFactor(pool, accountId);
    return factor?.enabledAt
      ? { secret: box.open(factor.sealedSecret, accountId), enabledAt: factor.enabledAt }
      : undefined;
  };

  /** Spends the code. Throws RATE_LIMITED. */
  const isRight = async (accountId: string, secret: Buffer, code: string): Promise<boolean> => {
    const at = clock();
    const attempt = { subject: `code ${accountId}`, at };
    const windowStart = new Date(at.getTime() - SIGN_IN_WINDOW_MS);
    const { wrongCodesPerAccount: limit } = bounds;
    if (!(await countAttempt(pool, { ...attempt, windowStart, limit }))) {
      count('audiosplit_sign_in_refusals_total', { bound: 'codes' });
      const what = `More than ${limit} wrong codes within 15 minutes`;
      throw await windowIsFull(pool, {
        subject: attempt.subject,
        windowMs: SIGN_IN_WINDOW_MS,
        now: at,
        what,
      });
    }
    if (!(await spend(pool, { accountId, secret, code: normalizeCode(code), at }))) return false;
    await undoAttempt(pool, attempt.subject, at);
    return true;
  };

  /** Required before a change of an enabled second factor. */
  const requireBoth = async (confirmation: Confirmation & { readonly code: string }) => {
    const { accountId, code } = confirmation;
    const enabled = await enabledOf(accountId);
    if (enabled === undefined) throw new NotFoundError('A second factor');
    await checkPassword(options, { ...confirmation, at: clock() });
    if (!(await isRight(accountId, enabled.secret, code))) throw wrongCode();
  };

  return {
    async check(accountId, code) {
      const enabled = await enabledOf(accountId);
      if (enabled === undefined) return;
      if (code === '') {
        throw new ServiceError(
          Reason.SECOND_FACTOR_REQUIRED,
          'The account has a second factor; repeat with a code of its authenticator app, or a recovery code.',
        );
      }
      if (await isRight(accountId, enabled.secret, code)) return;
      throw new ServiceError(Reason.UNAUTHORIZED, 'The code is wrong, too old or was used before.');
    },

    async find(accountId) {
      const factor = await findSecondFactor(pool, accountId);
      if (!factor?.enabledAt) return undefined;
      return { enabledAt: factor.enabledAt, recoveryCodesLeft: await countRecoveryCodes(pool, accountId) };
    },

    async begin(confirmation) {
      const { accountId } = confirmation;
      await checkPassword(options, { ...confirmation, at: clock() });
      const holder = await findHolder(pool, accountId);
      if (holder === undefined) throw new NotFoundError('The account');
      const secret = newSecret();
      if (!(await beginSecondFactor(pool, accountId, box.seal(secret, accountId)))) throw isOn();
      return { secret: toBase32(secret), uri: toUri(secret, holder.email) };
    },

    async confirm(accountId, code) {
      const factor = await findSecondFactor(pool, accountId);
      if (factor === undefined) throw new NotFoundError('A second factor that was begun');
      if (factor.enabledAt !== null) throw isOn();
      const { sealedSecret } = factor;
      const secret = box.open(sealedSecret, accountId);
      const now = clock();
      const step = stepOf(secret, normalizeCode(code), now);
      if (step === undefined) throw wrongCode(secondsOff(secret, normalizeCode(code), now));
      const codes = newRecoveryCodes();
      await withTransaction(pool, async (client) => {
        const holder = await lockHolder(client, accountId);
        if (holder === undefined) throw new NotFoundError('The account');
        if (!(await enableSecondFactor(client, accountId, { sealedSecret, step, now }))) throw isOn();
        await replaceRecoveryCodes(client, accountId, codes.map(digestOf));
        await appendToOutbox(client, [mailRequested(accountId, 'second-factor-on', holder.email, now)]);
      });
      wakeRelay();
      return codes;
    },

    async renewRecoveryCodes(confirmation) {
      await requireBoth(confirmation);
      const codes = newRecoveryCodes();
      await withTransaction(pool, async (client) => {
        await lockHolder(client, confirmation.accountId);
        await replaceRecoveryCodes(client, confirmation.accountId, codes.map(digestOf));
      });
      return codes;
    },

    async remove(confirmation) {
      await requireBoth(confirmation);
      const { accountId } = confirmation;
      await withTransaction(pool, async (client) => {
        const holder = await lockHolder(client, accountId);
        if (holder === undefined) throw new NotFoundError('The account');
        await deleteSecondFactor(client, accountId);
        await appendToOutbox(client, [mailRequested(accountId, 'second-factor-off', holder.email, clock())]);
      });
      wakeRelay();
    },

    async turnOff(accountId) {
      await withTransaction(pool, async (client) => {
        const now = clock();
        const holder = await lockHolder(client, accountId);
        if (holder === undefined) throw new NotFoundError('The account');
        if (!(await findSecondFactor(client, accountId))?.enabledAt)
          throw new NotFoundError('A second factor');
        await deleteSecondFactor(client, accountId);
        await deleteSessionsOf(client, accountId, '', now);
        await appendToOutbox(client, [mailRequested(accountId, 'second-factor-lost', holder.email, now)]);
      });
      wakeRelay();
    },
  };
}

interface SpentCode {
  readonly accountId: string;
  readonly secret: Buffer;
  /** Normalised. */
  readonly code: string;
  readonly at: Date;
}

/** False for a wrong or used code. */
async function spend(pool: Pool, { accountId, secret, code, at }: SpentCode): Promise<boolean> {
  if (!isAppCode(code)) return useRecoveryCode(pool, accountId, sha256OfRecoveryCode(code));
  const step = stepOf(secret, code, at);
  return step !== undefined && useStep(pool, accountId, step);
}

function digestOf(code: string): Buffer {
  return sha256OfRecoveryCode(normalizeCode(code));
}

function isOn(): ServiceError {
  return new ServiceError(
    Reason.SECOND_FACTOR_ON,
    'The second factor is on; turn it off first to begin another one.',
  );
}

/** @param offSeconds By how much the clock that made the code is ahead, if that is the only fault. */
function wrongCode(offSeconds?: number): InvalidParamsError {
  if (offSeconds === undefined)
    return new InvalidParamsError('code', 'is wrong, too old or was used before.');
  const minutes = Math.max(1, Math.round(Math.abs(offSeconds) / 60));
  const direction = offSeconds < 0 ? 'behind' : 'ahead';
  return new InvalidParamsError(
    'code',
    `is of a clock that is about ${minutes} min ${direction}; set the clock of the device by the network.`,
  );
}
