/** The sandbox provider behind a network that fails, with a ledger of the money that has moved. */
import type { PaymentProvider } from '@audiosplit/billing/payment/payment-provider';
import { createSandboxProvider } from '@audiosplit/billing/payment/sandbox';
import { callPort, type Faults } from '../faults/faults.ts';
import type { World } from '../world/world.ts';

export type SimulatedPayments = ReturnType<typeof createSimulatedPayments>;

export function createSimulatedPayments(world: World, faults: Faults) {
  const sandbox = createSandboxProvider();
  const charged = new Map<string, number>();
  const onFile = <T>(what: string, effect: () => Promise<T>) =>
    callPort({ world, faults }, 'payment file', what, effect);
  const provider: PaymentProvider = {
    ...sandbox,
    attach: (request) => onFile('attach', () => sandbox.attach(request)),
    detach: (method) => onFile('detach', () => sandbox.detach(method)),
    forget: (customerId) => onFile('forget', () => sandbox.forget(customerId)),
    charge: (request) =>
      callPort({ world, faults }, 'payment charge', '', async () => {
        const receipt = await sandbox.charge(request);
        charged.set(request.idempotencyKey, request.amountCents);
        return receipt;
      }),
  };
  return {
    provider,
    /** Charged cents by idempotency key: once per key, as the port promises. */
    charged,
  };
}
