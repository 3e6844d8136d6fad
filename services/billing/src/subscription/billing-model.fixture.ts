/**
 * A simple model of billing for tests: it advances an hour at a time and does what is due. It shares only the catalogue
 * of plans with the service, and uses neither database nor provider.
 */
import { FREE_PLAN, PLANS } from '../plans/plans.ts';

export type Step =
  | { readonly kind: 'wait'; readonly hours: number }
  | { readonly kind: 'card'; readonly works: boolean }
  | { readonly kind: 'subscribe'; readonly planId: string }
  | { readonly kind: 'change'; readonly planId: string }
  | { readonly kind: 'cancel'; readonly immediate: boolean }
  | { readonly kind: 'use'; readonly seconds: number }
  /** The oldest unpaid invoice. */
  | { readonly kind: 'pay' }
  /** An operator replaces the account's overrides. */
  | { readonly kind: 'agree'; readonly terms: Terms };

interface Terms {
  readonly priceCents: number | undefined;
  readonly overageMillicents: number | undefined;
  readonly minutes: number | undefined;
}

interface ModelInvoice {
  readonly cents: number;
  readonly issuedHour: number;
  readonly subscription: ModelSubscription;
  status: 'open' | 'paid' | 'uncollectible';
  nextTryHour: number;
}

interface ModelSubscription {
  planId: string;
  nextPlanId: string | undefined;
  ending: boolean;
  status: 'active' | 'past_due' | 'unpaid' | 'canceled';
  /** The date and hour at which it began. */
  began: Date;
  months: number;
  startHour: number;
  endHour: number;
  usedSeconds: number;
  /** Minutes begun so far. Each is priced when it begins. */
  minutesBegun: number;
  minutesIncluded: number;
  /** Overage on no invoice yet: a line for each price and allowance. */
  unbilled: Map<string, number>;
  readonly invoices: ModelInvoice[];
}

const HOUR_MS = 3_600_000;
const TRY_DAYS = [0, 1, 2, 4, 6, 8, 11, 14];

export function createBillingModel(start: Date) {
  let hour = 0;
  let card: 'none' | 'works' | 'fails' = 'none';
  let terms: Terms = { priceCents: undefined, overageMillicents: undefined, minutes: undefined };
  let current: ModelSubscription | undefined;
  /** It may continue when its debt is paid. */
  let unpaid: ModelSubscription | undefined;
  const everyInvoice: ModelInvoice[] = [];

  const planNamed = (id: string) => PLANS.find((plan) => plan.id === id) ?? FREE_PLAN;
  const listPriceOf = (id: string) => planNamed(id).pricePerMonthCents;
  const priceOf = (id: string) => terms.priceCents ?? listPriceOf(id);
  const dateOf = (at: number) => new Date(start.getTime() + at * HOUR_MS);

  /** Steps hour by hour to the same day of the next month, or to that month's last day. */
  function hourAfterMonths(began: Date, months: number): number {
    const wanted = began.getUTCFullYear() * 12 + began.getUTCMonth() + months;
    const beganHour = (began.getTime() - start.getTime()) / HOUR_MS;
    let found = beganHour;
    for (let at = beganHour; ; at++) {
      const date = dateOf(at);
      const month = date.getUTCFullYear() * 12 + date.getUTCMonth();
      if (month > wanted) return found;
      const isTime = date.getUTCHours() === began.getUTCHours();
      if (month === wanted && isTime && date.getUTCDate() <= began.getUTCDate()) found = at;
    }
  }

  /** Rounds half a cent up. */
  const roundHalfUp = (exact: number) => Math.floor(exact + 0.5 + 1e-9);

  /** Minute by minute: free within the current allowance, otherwise at the current price. */
  function use(subscription: ModelSubscription, seconds: number): void {
    const plan = planNamed(subscription.planId);
    const allowance = terms.minutes ?? plan.monthlyMinutes;
    const millicents = terms.overageMillicents ?? plan.overageMillicentsPerMinute ?? 0;
    const line = `${allowance} included, ${millicents} each`;
    subscription.usedSeconds += seconds;
    while (subscription.minutesBegun * 60 < subscription.usedSeconds) {
      subscription.minutesBegun += 1;
      if (subscription.minutesIncluded < allowance) subscription.minutesIncluded += 1;
      else subscription.unbilled.set(line, (subscription.unbilled.get(line) ?? 0) + millicents);
    }
  }

  /** Costs nothing, and uses none of the allowance. */
  function useOnFree(subscription: ModelSubscription, seconds: number): void {
    subscription.usedSeconds += seconds;
    subscription.minutesBegun = Math.max(subscription.minutesBegun, Math.ceil(subscription.usedSeconds / 60));
  }

  function overageOf(subscription: ModelSubscription): number {
    let cents = 0;
    for (const millicents of subscription.unbilled.values()) cents += roundHalfUp(millicents / 1_000);
    return cents;
  }

  function issue(subscription: ModelSubscription, cents: number, status: ModelInvoice['status'], at: number) {
    if (cents === 0) return;
    const invoice = { cents, status, issuedHour: at, subscription, nextTryHour: at };
    everyInvoice.push(invoice);
    subscription.invoices.push(invoice);
  }

  function tryToCharge(invoice: ModelInvoice): void {
    const nextDay = TRY_DAYS.find((day) => invoice.issuedHour + day * 24 > hour);
    if (card === 'works') {
      invoice.status = 'paid';
      if (current?.invoices.includes(invoice)) current.status = 'active';
    } else if (nextDay === undefined) {
      invoice.status = 'uncollectible';
      if (current?.invoices.includes(invoice)) {
        current.status = 'unpaid';
        unpaid = current;
        current = undefined;
      }
    } else {
      invoice.nextTryHour = invoice.issuedHour + nextDay * 24;
      if (current?.invoices.includes(invoice)) current.status = 'past_due';
    }
  }

  function chargeWhatIsDue(): void {
    for (const invoice of everyInvoice) {
      if (invoice.status === 'open' && hour >= invoice.nextTryHour) tryToCharge(invoice);
    }
  }

  function endPeriod(subscription: ModelSubscription): void {
    const overage = overageOf(subscription);
    if (subscription.ending) {
      subscription.status = 'canceled';
      issue(subscription, overage, 'open', hour);
      current = undefined;
      return;
    }
    subscription.planId = subscription.nextPlanId ?? subscription.planId;
    subscription.nextPlanId = undefined;
    subscription.months += 1;
    beginPeriod(subscription);
    issue(subscription, priceOf(subscription.planId) + overage, 'open', hour);
  }

  function beginPeriod(subscription: ModelSubscription): void {
    subscription.startHour = hour;
    subscription.endHour = hourAfterMonths(subscription.began, subscription.months + 1);
    subscription.usedSeconds = 0;
    subscription.minutesBegun = 0;
    subscription.minutesIncluded = 0;
    subscription.unbilled = new Map();
  }

  function passAnHour(): void {
    hour += 1;
    if (current !== undefined && hour >= current.endHour) endPeriod(current);
    chargeWhatIsDue();
  }

  function hasDebt(): boolean {
    return everyInvoice.some(
      ({ status, issuedHour, nextTryHour, subscription }) =>
        status === 'uncollectible' ||
        (status === 'open' && subscription !== current && nextTryHour > issuedHour),
    );
  }

  function pay(): void {
    const invoice = everyInvoice.find(({ status }) => status === 'open' || status === 'uncollectible');
    if (invoice === undefined) return;
    if (invoice.status === 'open') {
      tryToCharge(invoice);
      return;
    }
    if (card !== 'works') return;
    invoice.status = 'paid';
    const { subscription } = invoice;
    if (subscription !== unpaid || subscription.invoices.some(({ status }) => status !== 'paid')) return;
    unpaid = undefined;
    subscription.status = 'active';
    current = subscription;
    if (hour < subscription.endHour) return;
    subscription.began = dateOf(hour);
    subscription.months = 0;
    beginPeriod(subscription);
    issue(subscription, priceOf(subscription.planId), 'open', hour);
    chargeWhatIsDue();
  }

  function subscribe(planId: string): void {
    if (hasDebt()) return;
    if (current !== undefined || card === 'none' || (priceOf(planId) > 0 && card !== 'works')) return;
    const began = dateOf(hour);
    current = {
      planId,
      nextPlanId: undefined,
      ending: false,
      status: 'active',
      began,
      months: 0,
      startHour: hour,
      endHour: hourAfterMonths(began, 1),
      usedSeconds: 0,
      minutesBegun: 0,
      minutesIncluded: 0,
      unbilled: new Map(),
      invoices: [],
    };
    issue(current, priceOf(planId), 'paid', hour);
  }

  function change(planId: string): void {
    if (current === undefined) return;
    if (listPriceOf(planId) > listPriceOf(current.planId)) {
      if (hasDebt()) return;
      const left = (current.endHour - hour) / (current.endHour - current.startHour);
      const cents = roundHalfUp((priceOf(planId) - priceOf(current.planId)) * left) + overageOf(current);
      if (cents > 0 && card !== 'works') return;
      issue(current, cents, 'paid', hour);
      if (cents > 0) current.unbilled = new Map();
      current.planId = planId;
      current.nextPlanId = undefined;
      return;
    }
    current.nextPlanId = planId === current.planId ? undefined : planId;
    current.ending = false;
  }

  function cancel(immediate: boolean): void {
    if (current === undefined) return;
    if (immediate) {
      current.status = 'canceled';
      issue(current, overageOf(current), 'open', hour);
      current = undefined;
      chargeWhatIsDue();
    } else {
      current.ending = true;
      current.nextPlanId = undefined;
    }
  }

  return {
    now: () => dateOf(hour),
    isSubscribed: () => current !== undefined,
    take(step: Step): void {
      switch (step.kind) {
        case 'wait':
          for (let passed = 0; passed < step.hours; passed++) passAnHour();
          return;
        case 'card':
          card = step.works ? 'works' : 'fails';
          for (const invoice of everyInvoice) if (invoice.status === 'open') tryToCharge(invoice);
          return;
        case 'subscribe':
          subscribe(step.planId);
          return;
        case 'change':
          change(step.planId);
          return;
        case 'cancel':
          cancel(step.immediate);
          return;
        case 'use':
          if (current !== undefined) use(current, step.seconds);
          else if (unpaid !== undefined && hour < unpaid.endHour) useOnFree(unpaid, step.seconds);
          // The instant at which a period ends belongs to the next period only.
          passAnHour();
          return;
        case 'pay':
          pay();
          return;
        case 'agree':
          terms = step.terms;
          return;
        default:
          step satisfies never;
      }
    },
    /** Oldest first. */
    invoices: () => everyInvoice.map(({ cents, status }) => ({ cents, status })),
    planId: () => current?.planId ?? FREE_PLAN.id,
    status: () => current?.status,
  };
}
