/** Stripe's own script, which takes card data in frames of its own. Loaded when a card is to be entered. */

interface StripeElement {
  mount(place: HTMLElement): void;
  destroy(): void;
  on(event: 'ready' | 'loaderror', handle: () => void): void;
}

export interface Stripe {
  elements(): { create(type: 'card', options: object): StripeElement };
  createPaymentMethod(data: { readonly type: 'card'; readonly card: StripeElement }): Promise<{
    readonly paymentMethod?: { readonly id: string };
    readonly error?: { readonly message?: string };
  }>;
}

export type { StripeElement };

const contentOf = (name: string) =>
  document.querySelector<HTMLMetaElement>(`meta[name="audiosplit-stripe-${name}"]`)?.content;

const key = contentOf('key');
const source = contentOf('script');

/** Whether the gateway has been given Stripe's publishable key. */
export const hasStripe = key !== undefined && source !== undefined;

let loaded: Promise<Stripe> | undefined;

export function loadStripe(): Promise<Stripe> {
  loaded ??= load();
  // The next dialog tries again.
  loaded.catch(() => {
    loaded = undefined;
  });
  return loaded;
}

function load(): Promise<Stripe> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = source ?? '';
    script.onload = () => {
      const { Stripe: create } = globalThis as { Stripe?: (key: string | undefined) => Stripe };
      if (create === undefined) reject(new Error("Stripe's script did not load as expected"));
      else resolve(create(key));
    };
    script.onerror = () => {
      script.remove();
      reject(new Error("Stripe's script cannot be loaded"));
    };
    document.head.append(script);
  });
}
