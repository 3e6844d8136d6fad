/**
 * A model of the Stripe objects that the driver uses, after https://docs.stripe.com/api and
 * https://docs.stripe.com/testing: it suffices to run a subscription.
 */
import { randomBytes } from 'node:crypto';

export interface Reply {
  readonly status: number;
  readonly body: object;
}

export type Form = Readonly<Record<string, string>>;

interface Method {
  readonly id: string;
  readonly object: 'payment_method';
  readonly type: string;
  readonly card: object | null;
  customer: string | null;
  /** How its test number behaves. Not one of Stripe's fields. */
  readonly behaviour: string;
  isSpent: boolean;
}

interface Intent {
  readonly id: string;
  readonly object: 'payment_intent';
  readonly amount: number;
  readonly currency: string;
  readonly customer: string;
  readonly payment_method: string;
  readonly created: number;
  readonly metadata: Record<string, string>;
  readonly client_secret: string;
  status: string;
  last_payment_error: object | null;
}

interface StripeRefund {
  readonly id: string;
  readonly object: 'refund';
  readonly amount: number;
  readonly currency: string;
  readonly payment_intent: string;
  readonly created: number;
  readonly metadata: Record<string, string>;
  status: string;
}

const CARDS: Readonly<Record<string, { brand: string; last4: string; type?: string }>> = {
  tok_visa: { brand: 'visa', last4: '4242' },
  tok_mastercard: { brand: 'mastercard', last4: '4444' },
  tok_chargeDeclined: { brand: 'visa', last4: '0002' },
  tok_chargeCustomerFail: { brand: 'visa', last4: '0341' },
  tok_authenticationRequired: { brand: 'visa', last4: '3184' },
  /** Waits for the cardholder; the create call does not fail. */
  tok_waiting: { brand: 'visa', last4: '3220' },
  tok_slow: { brand: 'visa', last4: '7726' },
  /** Its refunds are pending until an event. */
  tok_pendingRefund: { brand: 'visa', last4: '7726' },
  tok_bank: { brand: '', last4: '', type: 'sepa_debit' },
};

/** A test method that represents a card like a token, and can be used any number of times. */
const METHOD_FOR_TESTS = 'pm_card_visa';

export type FakeStripeBooks = ReturnType<typeof createFakeStripeBooks>;

export function createFakeStripeBooks(now: () => Date) {
  const customers = new Set<string>();
  const methods = new Map<string, Method>();
  const intents = new Map<string, Intent>();
  const refunds = new Map<string, StripeRefund>();

  function newMethod(token: string): Reply {
    return found(made(token)) ?? missing('token', 'card[token]');
  }

  function made(token: string): Method | undefined {
    const card = CARDS[token];
    if (card === undefined) return undefined;
    const { type = 'card', ...shown } = card;
    const method: Method = {
      id: newId('pm'),
      object: 'payment_method',
      type,
      card: type === 'card' ? { ...shown, exp_month: 12, exp_year: 2099 } : null,
      customer: null,
      behaviour: token,
      isSpent: false,
    };
    methods.set(method.id, method);
    return method;
  }

  function attach(id: string, customer: string): Reply {
    const method = id === METHOD_FOR_TESTS ? made('tok_visa') : methods.get(id);
    if (method === undefined) return missing('PaymentMethod', 'payment_method');
    if (!customers.has(customer)) return missing('customer', 'customer');
    if (method.isSpent || (method.customer !== null && method.customer !== customer)) {
      return invalid('This PaymentMethod was used or attached before and may not be used again.');
    }
    if (method.behaviour === 'tok_chargeDeclined')
      return declined('Your card was declined.', 'card_declined');
    method.customer = customer;
    return { status: 200, body: method };
  }

  function detach(id: string): Reply {
    const method = methods.get(id);
    if (method === undefined) return missing('PaymentMethod', 'payment_method');
    if (method.customer === null) return invalid('The payment method is not attached to a customer.');
    method.customer = null;
    method.isSpent = true;
    return { status: 200, body: method };
  }

  function newIntent(form: Form): Reply {
    const { customer = '', payment_method: methodId = '', currency = '' } = form;
    if (!customers.has(customer)) return missing('customer', 'customer');
    if (methods.get(methodId)?.customer !== customer) {
      return invalid('The PaymentMethod was detached from a Customer. It may not be used again.');
    }
    const amount = Number(form.amount);
    if (amount < 50) return invalid('Amount must be at least $0.50 usd', 'amount_too_small', 'amount');
    const intent: Intent = {
      id: newId('pi'),
      object: 'payment_intent',
      amount,
      currency,
      customer,
      payment_method: methodId,
      created: Math.floor(now().getTime() / 1000),
      metadata: { charge_id: form['metadata[charge_id]'] ?? '' },
      client_secret: `${newId('pi')}_secret_hush`,
      status: 'succeeded',
      last_payment_error: null,
    };
    intents.set(intent.id, intent);
    switch (methods.get(methodId)?.behaviour) {
      case 'tok_chargeCustomerFail':
        return declinedIntent(intent, 'Your card was declined.', 'card_declined');
      case 'tok_authenticationRequired':
        return declinedIntent(intent, 'This payment requires authentication.', 'authentication_required');
      case 'tok_waiting':
        intent.status = 'requires_action';
        break;
      case 'tok_slow':
        intent.status = 'processing';
        break;
    }
    return { status: 200, body: intent };
  }

  function cancel(id: string): Reply {
    const intent = intents.get(id);
    if (intent === undefined) return missing('payment_intent', 'intent');
    if (['succeeded', 'canceled', 'processing'].includes(intent.status)) {
      return invalid('It cannot be canceled.', 'payment_intent_unexpected_state');
    }
    intent.status = 'canceled';
    return { status: 200, body: intent };
  }

  function newRefund(form: Form): Reply {
    const intent = intents.get(form.payment_intent ?? '');
    if (intent?.status !== 'succeeded') return missing('payment_intent', 'payment_intent');
    const left = intent.amount - refundedOf(intent.id);
    if (left === 0) return invalid('Charge has already been refunded.', 'charge_already_refunded');
    const amount = Number(form.amount);
    if (amount > left) return invalid('Refund amount is greater than unrefunded amount on charge.');
    const refund: StripeRefund = {
      id: newId('re'),
      object: 'refund',
      amount,
      currency: intent.currency,
      payment_intent: intent.id,
      created: Math.floor(now().getTime() / 1000),
      metadata: form['metadata[refund_id]'] === undefined ? {} : { refund_id: form['metadata[refund_id]'] },
      status: methods.get(intent.payment_method)?.behaviour === 'tok_pendingRefund' ? 'pending' : 'succeeded',
    };
    refunds.set(refund.id, refund);
    return { status: 200, body: refund };
  }

  function refundedOf(intentId: string): number {
    return [...refunds.values()]
      .filter(({ payment_intent, status }) => payment_intent === intentId && status !== 'failed')
      .reduce((sum, { amount }) => sum + amount, 0);
  }

  function answer(method: string, path: string, form: Form): Reply {
    const [, kind, id = '', action] = /^\/v1\/(\w+)(?:\/(\w+))?(?:\/(\w+))?$/.exec(path) ?? [];
    switch (`${method} ${kind}${id === '' ? '' : '/:id'}${action === undefined ? '' : `/${action}`}`) {
      case 'POST customers': {
        const customer = newId('cus');
        customers.add(customer);
        return { status: 200, body: { id: customer, object: 'customer' } };
      }
      case 'DELETE customers/:id':
        if (!customers.delete(id)) return missing('customer', 'id');
        for (const each of methods.values()) if (each.customer === id) detach(each.id);
        return { status: 200, body: { id, object: 'customer', deleted: true } };
      case 'POST payment_methods':
        return newMethod(form['card[token]'] ?? '');
      case 'GET payment_methods/:id':
        return found(methods.get(id)) ?? missing('PaymentMethod', 'payment_method');
      case 'POST payment_methods/:id/attach':
        return attach(id, form.customer ?? '');
      case 'POST payment_methods/:id/detach':
        return detach(id);
      case 'POST payment_intents':
        return newIntent(form);
      case 'GET payment_intents': {
        const data = [...intents.values()].filter(
          ({ customer, created }) => customer === form.customer && created >= Number(form['created[gte]']),
        );
        return { status: 200, body: { object: 'list', url: path, has_more: false, data } };
      }
      case 'GET payment_intents/:id':
        return found(intents.get(id)) ?? missing('payment_intent', 'intent');
      case 'POST payment_intents/:id/cancel':
        return cancel(id);
      case 'POST refunds':
        return newRefund(form);
      case 'GET refunds': {
        const data = [...refunds.values()].filter(
          ({ payment_intent }) => payment_intent === form.payment_intent,
        );
        return { status: 200, body: { object: 'list', url: path, has_more: false, data } };
      }
      default:
        return { status: 404, body: { error: { type: 'invalid_request_error', message: `no ${path}` } } };
    }
  }

  return {
    answer,
    customers,
    methods,
    intents,
    refunds,
    /** The amounts charged for one of our charges, in cents. */
    takenFor: (chargeId: string) =>
      [...intents.values()]
        .filter(({ status, metadata }) => status === 'succeeded' && metadata.charge_id === chargeId)
        .map(({ amount }) => amount),
    takenInAll: () =>
      [...intents.values()]
        .filter(({ status }) => status === 'succeeded')
        .reduce((sum, { amount }) => sum + amount, 0),
  };
}

function found(object: object | undefined): Reply | undefined {
  return object && { status: 200, body: object };
}

function declinedIntent(intent: Intent, message: string, code: string): Reply {
  intent.status = 'requires_payment_method';
  intent.last_payment_error = { type: 'card_error', code, message };
  const { status, body } = declined(message, code);
  return { status, body: { error: { ...Object(body).error, payment_intent: intent } } };
}

function declined(message: string, code: string): Reply {
  return { status: 402, body: { error: { type: 'card_error', code, decline_code: code, message } } };
}

function missing(what: string, param: string): Reply {
  const error = {
    type: 'invalid_request_error',
    code: 'resource_missing',
    param,
    message: `No such ${what}`,
  };
  return { status: param === 'customer' ? 400 : 404, body: { error } };
}

function invalid(message: string, code?: string, param?: string): Reply {
  return { status: 400, body: { error: { type: 'invalid_request_error', message, code, param } } };
}

function newId(prefix: string): string {
  return `${prefix}_${randomBytes(8).toString('hex')}`;
}
