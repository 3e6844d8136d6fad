/**
 * Upgrades from the release in which one secret signed the calls of all processes, as
 * docs/operations/upgrades.md describes.
 */
import type { KubernetesApi } from '../../deploy/kubernetes/access/api.ts';
import { FORMER_TAG } from './former-images.ts';
import { FORMER_NAMESPACE, type FormerRelease } from './former-release.ts';
import { type LoadContext, untilReplaced, untilSeen, withoutFailures } from './load.ts';
import { areAllOfTag } from './workload.ts';

export interface FormerContext extends LoadContext {
  readonly api: KubernetesApi;
  readonly tag: string;
  /** See running-job.ts. */
  readonly lastingSource: string;
  /** Throws if its images cannot be built. */
  former(): Promise<FormerRelease>;
}

export async function installFormer({ former: open }: FormerContext): Promise<string> {
  const { prepare, former, user } = await open();
  await prepare();
  await former.install();
  await user();
  return `${FORMER_TAG} is ready, whose processes have no keys; an account is open`;
}

export async function upgradeFormer(context: FormerContext): Promise<string> {
  const { api, tag, lastingSource } = context;
  const { present, user } = await context.former();
  const { client } = await user();
  return await withoutFailures({ ...context, user }, async () => {
    const cut = { splitMode: 'duration', segmentDuration: 20 } as const;
    const { id } = await client.createSplit({ sourceUrl: lastingSource, ...cut });
    const isRunning = async () => (await client.getSplit(id)).status === 'processing';
    await untilSeen(context, 'a job is running', isRunning);
    await present.upgrade([]);
    await untilSeen(context, `every pod is of ${tag}`, () => areAllOfTag(api, tag, FORMER_NAMESPACE));
  });
}

/** Operators wait a day before this, so that repeats of earlier idempotent calls are still answered. */
export async function dropFormerSecret(context: FormerContext): Promise<string> {
  const { present, user } = await context.former();
  return await withoutFailures({ ...context, user }, () =>
    untilReplaced(context, FORMER_NAMESPACE, async () => {
      await present.upgrade(['secrets.internal.existingSecret=']);
    }),
  );
}
