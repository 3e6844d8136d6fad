/**
 * Registers acceptance tests with node:test, each with the endpoints that it covers. The coverage page uses
 * the same calls: it collects the tests without running them.
 */
import { after, test } from 'node:test';
import type { Endpoint } from '../harness/endpoints.ts';
import { containersUnderTest } from '../harness/installation/as-a-user/containers-under-test.ts';
import type { Product, StartedProduct, UserOptions } from '../harness/installation/as-a-user/product.ts';
import { isDistributed } from '../harness/installation/as-a-user/start-as-user.ts';
import {
  attachToSharedInstallation,
  stopSharedInstallation,
} from '../harness/installation/shared-installation.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';

export interface ScenarioTags {
  /** The endpoints that it shows to work. */
  readonly covers?: readonly Endpoint[];
  readonly timeoutMs?: number;
  /** The reason why it applies only to `npm start`; shown as the result when anything else is tested. */
  readonly embeddedOnly?: string;
  /** It applies only to containers. */
  readonly containersOnly?: boolean;
}

export interface Scenario extends ScenarioTags {
  readonly name: string;
}

const DEFAULT_TIMEOUT_MS = 120_000;

let collected: Scenario[] | undefined;

/** Runs `load` and collects the scenarios that it registers instead of running them. */
export async function collectWhile(load: () => Promise<unknown>): Promise<readonly Scenario[]> {
  const scenarios: Scenario[] = [];
  collected = scenarios;
  try {
    await load();
  } finally {
    collected = undefined;
  }
  return scenarios;
}

export function scenario(name: string, tags: ScenarioTags, run: () => Promise<void>): void {
  if (collected !== undefined) {
    collected.push({ name, ...tags });
    return;
  }
  const reason = reasonToLeaveOut(tags);
  const options = { timeout: tags.timeoutMs ?? DEFAULT_TIMEOUT_MS };
  test(name, reason === undefined ? options : { ...options, skip: reason }, run);
}

function reasonToLeaveOut({ embeddedOnly, containersOnly = false }: ScenarioTags): string | undefined {
  const isInContainers = containersUnderTest !== undefined;
  if (containersOnly && !isInContainers) return 'containers only';
  const isEmbedded = !isDistributed && !isInContainers;
  return embeddedOnly === undefined || isEmbedded ? undefined : `npm start only: ${embeddedOnly}`;
}

/** Registers one file's scenarios on a product that is started for them. */
export function onOwnProduct(options: Omit<UserOptions, 'kind'>) {
  let starting: Promise<StartedProduct> | undefined;
  if (collected === undefined) after(async () => (await starting)?.[Symbol.asyncDispose]());
  return scenarioOn(() => (starting ??= startInstallation({ kind: 'as-a-user', ...options })));
}

/** Registers one file's scenarios on the shared product, with one account for all of them. */
export function onSharedProduct() {
  let attaching: Promise<Product> | undefined;
  if (collected === undefined) after(stopSharedInstallation);
  return scenarioOn(() => (attaching ??= attachToSharedInstallation()));
}

function scenarioOn<P>(product: () => Promise<P>) {
  return (name: string, tags: ScenarioTags, run: (product: P) => Promise<void>) =>
    scenario(name, tags, async () => run(await product()));
}
