import { testPaymentProviderContract } from './payment-provider.contract.ts';
import { createSandboxProvider } from './sandbox.ts';

testPaymentProviderContract('sandbox', async () => ({
  provider: createSandboxProvider(),
  async [Symbol.asyncDispose]() {},
}));
