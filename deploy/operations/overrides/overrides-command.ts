/**
 * What an operator agrees on with an account, from a shell: shows the figures of its plan, and lays others over them.
 * It calls billing as any service does, so it has to run where billing can be reached.
 */

import { createBillingClient, createBillingOperatorClient } from '@audiosplit/billing/client';
import { FIGURES, type Overrides } from '@audiosplit/billing/limits/overrides';
import type { Clock } from '@audiosplit/chassis/clock';
import type { Env } from '@audiosplit/chassis/process/env';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { INTERNAL_SECRET } from '@audiosplit/chassis/process/process-config';
import { addressFromEnv } from '@audiosplit/chassis/process/rpc-urls';
import { readSetting } from '@audiosplit/chassis/process/settings';
import { createCaller } from '@audiosplit/chassis/rpc/client';
import { errorInfoOf } from '@audiosplit/chassis/rpc/errors';
import type { GetAccountOverridesResponse } from '@audiosplit/proto/billing/v1/billing';

type Figure = keyof Overrides;
/** Undefined: the plan's again. */
type Changes = ReadonlyMap<Figure, number | undefined>;

const USAGE = `usage: npm run operate -- overrides <account id> [<figure>=<number> | <figure>=plan] …
Without figures it shows how things are. A figure that is not named stays as it is.
Figures: ${FIGURES.join(', ')}.`;

/**
 * Environment: BILLING_RPC_URL (where billing answers, http://host:port), INTERNAL_SECRET (that of the installation).
 * Throws StartError and ConfigError, which say what to change.
 */
export async function runOverridesCommand(
  args: readonly string[],
  { env, clock, write }: { readonly env: Env; readonly clock: Clock; readonly write: (text: string) => void },
): Promise<void> {
  const { accountId, changes } = parseArguments(args);
  const caller = createCaller({
    service: 'operator',
    internalSecret: readSetting('INTERNAL_SECRET', INTERNAL_SECRET, env),
    clock,
  });
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

function parseArguments(args: readonly string[]): { readonly accountId: string; readonly changes: Changes } {
  const [accountId, ...assignments] = args;
  if (accountId === undefined || !accountId.startsWith('acc_')) throw new StartError(USAGE);
  const changes = new Map<Figure, number | undefined>();
  for (const assignment of assignments) {
    const [, name, value = ''] = /^(\w+)=(plan|\d{1,15})$/.exec(assignment) ?? [];
    const figure = FIGURES.find((candidate) => candidate === name);
    if (figure === undefined || changes.has(figure)) {
      throw new StartError(`${assignment} is not understood.\n${USAGE}`);
    }
    changes.set(figure, value === 'plan' ? undefined : Number(value));
  }
  return { accountId, changes };
}

/** A line for each figure: what holds, and where it comes from. */
function describe(accountId: string, answer: GetAccountOverridesResponse): string {
  const { plan } = answer;
  const lines = FIGURES.map((figure) => {
    const holds = plan?.[figure] ?? 'none';
    const laidOver = answer[figure];
    const note =
      laidOver === undefined
        ? ''
        : laidOver === holds
          ? '  (override)'
          : `  (override ${laidOver} on paid plans)`;
    return `  ${figure.padEnd(28)}${holds}${note}`;
  });
  return `${[`${accountId}, ${plan?.name ?? ''} plan`, ...lines].join('\n')}\n`;
}
