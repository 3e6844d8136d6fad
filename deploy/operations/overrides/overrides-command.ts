/**
 * Prints the limits and prices of an account, and overrides those of its plan. It calls billing, so it must
 * run where billing can be reached.
 */

import { createBillingClient, createBillingOperatorClient } from '@audiosplit/billing/client';
import type { Clock } from '@audiosplit/chassis/clock';
import { readIdentityKeys } from '@audiosplit/chassis/identity/keys';
import type { Env } from '@audiosplit/chassis/process/env';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { addressFromEnv } from '@audiosplit/chassis/process/rpc-urls';
import { createCaller } from '@audiosplit/chassis/rpc/client';
import { errorInfoOf } from '@audiosplit/chassis/rpc/errors';
import type { GetAccountOverridesResponse } from '@audiosplit/proto/billing/v1/billing';
import { FIGURES, type Figure } from '@audiosplit/proto/vocabulary';

export const OVERRIDES_USAGE = `usage: npm run operate -- overrides <account id> [<figure>=<number> | <figure>=plan] …
Without figures it prints the present ones. Figures that are not named stay as they are.
Figures: ${FIGURES.join(', ')}.`;

/**
 * Reads BILLING_RPC_URL (http://host:port) and the keys of the operators' console. Throws StartError and ConfigError.
 */
export async function runOverridesCommand(
  args: readonly string[],
  { env, clock, write }: { readonly env: Env; readonly clock: Clock; readonly write: (text: string) => void },
): Promise<void> {
  const { accountId, changes } = parseArguments(args);
  const caller = createCaller({ keys: readIdentityKeys(env, 'operator'), clock });
  const address = addressFromEnv(env, 'billing');
  const billing = createBillingClient(caller, address);
  try {
    if (changes.size > 0) {
      await createBillingOperatorClient(caller, address).changeOverrides({
        accountId,
        changes: [...changes].map(([figure, value]) =>
          value === undefined ? { figure } : { figure, value: BigInt(value) },
        ),
      });
    }
    write(describe(accountId, await billing.getAccountOverrides({ accountId })));
  } catch (error) {
    throw new StartError(errorInfoOf(error).publicMessage);
  }
}

/** A figure without a value removes its override. */
function parseArguments(args: readonly string[]) {
  const [accountId, ...assignments] = args;
  if (accountId === undefined || !accountId.startsWith('acc_')) throw new StartError(OVERRIDES_USAGE);
  const changes = new Map<Figure, number | undefined>();
  for (const assignment of assignments) {
    const [, name, value = ''] = /^(\w+)=(plan|\d{1,15})$/.exec(assignment) ?? [];
    const figure = FIGURES.find((candidate) => candidate === name);
    if (figure === undefined || changes.has(figure)) {
      throw new StartError(`${assignment} is not understood.\n${OVERRIDES_USAGE}`);
    }
    changes.set(figure, value === 'plan' ? undefined : Number(value));
  }
  return { accountId, changes };
}

function describe(accountId: string, answer: GetAccountOverridesResponse): string {
  const { plan } = answer;
  const lines = FIGURES.map((figure) => {
    const holds = plan?.[figure] ?? 'none';
    const laidOver = answer[figure];
    const value = laidOver === holds ? '' : ` ${laidOver} on paid plans`;
    return `  ${figure.padEnd(28)}${holds}${laidOver === undefined ? '' : `  (override${value})`}`;
  });
  return `${[`${accountId}, ${plan?.name ?? ''} plan`, ...lines].join('\n')}\n`;
}
