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
    super(Reason.PAYMENT_METHOD_REQUIRED, 'There is no payment method on file; add one first.');
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
      'The subscription needs the payment method; cancel it first, or add another method.',
    );
  }
}

export class InvoiceUnpaidError extends ServiceError {
  override readonly name = 'InvoiceUnpaidError';
  constructor() {
    super(
      Reason.INVOICE_UNPAID,
      'An invoice of this account could not be charged; pay it first (POST /api/v1/billing/invoices/:id/pay).',
    );
  }
}

export class InvoiceAlreadyPaidError extends ServiceError {
  override readonly name = 'InvoiceAlreadyPaidError';
  constructor(number: string) {
    super(Reason.INVOICE_ALREADY_PAID, `Invoice ${number} is paid already.`);
  }
}

export class InvoiceNotPayableError extends ServiceError {
  override readonly name = 'InvoiceNotPayableError';
  constructor(number: string, status: string) {
    super(Reason.INVOICE_NOT_PAYABLE, `Invoice ${number} is ${status}; nothing is owed for it.`);
  }
}

export class AccountPurgedError extends ServiceError {
  override readonly name = 'AccountPurgedError';
  constructor() {
    super(Reason.NOT_FOUND, 'The account does not exist any more.');
  }
}
