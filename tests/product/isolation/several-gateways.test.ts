import type { EventBus } from '@audiosplit/chassis/event-bus/event-bus';
import { testSeveralGateways } from './several-gateways.contract.ts';

/** Accepts all events and delivers none. */
const losingAll = (bus: EventBus): EventBus => ({
  publish: async () => undefined,
  subscribe: (options) => bus.subscribe(options),
  check: () => bus.check(),
  [Symbol.asyncDispose]: async () => undefined,
});

testSeveralGateways('with the bus', (bus) => bus);
testSeveralGateways('with a bus that loses everything', losingAll);
