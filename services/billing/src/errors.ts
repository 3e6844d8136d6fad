import { ServiceError } from '@audiosplit/chassis/errors';
import { Reason } from '@audiosplit/proto/errors/v1/errors';

export class AlreadySubscribedError extends ServiceError {
  override readonly name = 'AlreadySubscribedError';
  constructor() {
    super(Reason.ALREADY_SUBSCRIBED, 'The account has a subscription; change its plan instead.');
  }
}

export class NoActiveSubscriptionError extends ServiceError {
  override readonly name = 'NoActiveSubscriptionError';
  constructor() {
    super(Reason.NO_ACTIVE_SUBSCRIPTION, 'The account has no subscription; subscribe to a plan first.');
  }
}

export class PlanUnchangedError extends ServiceError {
  override readonly name = 'PlanUnchangedError';
  constructor() {
    super(Reason.PLAN_UNCHANGED, 'The account is on this plan already, and nothing else is scheduled.');
  }
}

export class PaymentMethodRequiredError extends ServiceError {
  override readonly name = 'PaymentMethodRequiredError';
  constructor() {
    super(Reason.PAYMENT_METHOD_REQUIRED, 'There is no payment method on file; put one there first.');
  }
}

export class PaymentFailedError extends ServiceError {
  override readonly name = 'PaymentFailedError';
  constructor(publicMessage: string) {
    super(Reason.PAYMENT_FAILED, `${publicMessage} Nothing was changed.`);
  }
}

export class PriceChangedError extends ServiceError {
  override readonly name = 'PriceChangedError';
  constructor() {
    super(Reason.PRICE_CHANGED, 'The price has changed since it was shown. Nothing was charged or changed.');
  }
}

export class PaymentMethodInUseError extends ServiceError {
  override readonly name = 'PaymentMethodInUseError';
  constructor() {
    super(
      Reason.ACTIVE_SUBSCRIPTION,
      'The subscription needs the payment method; cancel it first, or put another method on file.',
    );
  }
}

export class AccountPurgedError extends ServiceError {
  override readonly name = 'AccountPurgedError';
  constructor() {
    super(Reason.NOT_FOUND, 'The account does not exist any more.');
  }
}
