/**
 * The steps for the product on the cluster, one after the other. A step resolves with a summary, or throws.
 */
import { COMPONENTS } from '../../deploy/kubernetes/components.ts';
import { tryAttemptsInImage } from '../harness/decoder-attempts.ts';
import { findNoSecrets } from './environments.ts';
import { ENGINES_NAMESPACE, EXTERNAL_NAMESPACE } from './external-release.ts';
import {
  type ExternalContext,
  failMigrations,
  installBesideEngines,
  openConsole,
  runOnNewerSchema,
  upgradeAfterAll,
} from './external-steps.ts';
import { FORMER_NAMESPACE } from './former-release.ts';
import { dropFormerSecret, type FormerContext, installFormer, upgradeFormer } from './former-steps.ts';
import { type IngressContext, verifyBothKinds } from './ingress/verify-ingress.ts';
import { allComplete, describeLoad, failed, underLoad, untilSeen, withoutFailures } from './load.ts';
import { holdPolicies, type NetworkContext } from './network-policies.ts';
import { bearNoisyNeighbour, type NeighbourContext } from './noisy-neighbour.ts';
import type { ExecInPod } from './pod-exec.ts';
import { NAMESPACE } from './release.ts';
import { type RotationContext, rotateUnderLoad } from './rotate-keys.ts';
import type { Step } from './run-steps.ts';
import { type ScalingContext, scaleByExternalMetric, scaleByKeda } from './scaling/backlog.ts';
import type { Sample } from './timeline.ts';
import {
  areAllOfTag,
  areAllReady,
  drain,
  isReplaced,
  kill,
  PODS,
  type Pod,
  refusalOfPrivilegedPod,
  setSchedulable,
} from './workload.ts';

export interface StepContext
  extends NetworkContext,
    ExternalContext,
    IngressContext,
    RotationContext,
    ScalingContext,
    FormerContext,
    NeighbourContext {
  readonly execIn: ExecInPod;
  /** The tag of the images to install; `otherTag` refers to the same images. */
  readonly tag: string;
  /** A node that runs nothing of which there is only one. */
  readonly drainedNode: string;
}

export const STEPS: readonly Step<StepContext>[] = [
  {
    title: '`restricted` is enforced',
    run: async ({ api }) =>
      `a privileged pod is refused: ${firstSentence(await refusalOfPrivilegedPod(api))}`,
  },
  {
    title: 'helm install',
    isVital: true,
    async run({ api, release }) {
      await release.install();
      const pods = await api.list<Pod>(PODS);
      return `${pods.length} pods passed admission and became ready`;
    },
  },
  {
    title: 'helm test',
    async run({ release }) {
      const said = await release.test();
      const lines = said.split('\n').filter((line) => /^\d{4}-\d\d-\d\dT/.test(line));
      return lines.map((line) => line.replace(/^\S+ /, '')).join('; ');
    },
  },
  { title: 'network policies hold', run: holdPolicies },
  { title: 'no environment holds a secret', run: (context) => findNoSecrets(context, [NAMESPACE]) },
  { title: 'an exploited ffmpeg gains nothing', run: attackFromFfmpeg },
  {
    title: 'helm upgrade under load',
    run: (context) =>
      withoutFailures(context, async () => {
        await context.release.upgrade([`image.tag=${context.otherTag}`]);
        await awaitTag(context, context.otherTag);
      }),
  },
  {
    title: 'helm rollback under load',
    run: (context) =>
      withoutFailures(context, async () => {
        await context.release.rollback();
        await awaitTag(context, context.tag);
      }),
  },
  { title: 'new keys for all processes, under load', run: rotateUnderLoad },
  {
    title: 'a pod of each component is killed, under load',
    async run(context) {
      const { api } = context;
      let longestMs = 0;
      const load = await underLoad(context, async () => {
        for (const component of COMPONENTS) {
          const pods = await api.list<Pod>(PODS, `app.kubernetes.io/component=${component}`);
          const [pod] = pods;
          if (pod === undefined) throw new Error(`${component} has no pod`);
          const killedMs = performance.now();
          await kill(api, pod);
          await untilSeen(context, `${component} is whole again`, () => isReplaced(api, pod));
          longestMs = Math.max(longestMs, performance.now() - killedMs);
        }
      });
      // At most the requests in flight may fail: each kind of request has one in flight.
      const most = COMPONENTS.length * Object.keys(load.answered).length;
      if (load.failures.length > most) throw failed(load);
      await allComplete(context);
      return `${COMPONENTS.length} pods replaced, at the longest after ${seconds(longestMs)}; ${describeLoad(load)}, ${load.failures.length} requests failed in flight; every job completed`;
    },
  },
  {
    title: 'a node is drained under load',
    async run(context) {
      const { api, drainedNode, signal } = context;
      let evictions = { evicted: 0, postponed: 0 };
      const from = context.samples.length;
      try {
        const summary = await withoutFailures(context, async () => {
          evictions = await drain(api, drainedNode, signal);
          await untilSeen(context, 'everything runs elsewhere', () => areAllReady(api));
        });
        if (evictions.evicted === 0) throw new Error('there was no pod to evict');
        const fewest = fewestReady(context.samples.slice(from));
        if (fewest < 1) throw new Error('a component was left without a pod that is ready');
        return `${evictions.evicted} pods evicted, ${evictions.postponed} evictions postponed by budgets, never less than ${fewest} ready of a component; ${summary}`;
      } finally {
        await setSchedulable(api, drainedNode, true);
      }
    },
  },
  { title: 'a noisy neighbour', isOptional: true, run: bearNoisyNeighbour },
  { title: 'splitters follow the backlog', run: scaleByExternalMetric },
  { title: 'splitters follow the backlog by KEDA, from none and back', run: scaleByKeda },
  { title: 'an Ingress and an HTTPRoute', run: verifyBothKinds },
  { title: 'a second release, engines elsewhere', isVital: true, run: installBesideEngines },
  { title: "the operators' console", run: openConsole },
  {
    title: 'no environment beside engines elsewhere holds a secret',
    run: (context) => findNoSecrets(context, [EXTERNAL_NAMESPACE, ENGINES_NAMESPACE]),
  },
  { title: 'an upgrade whose migrations fail', run: failMigrations },
  { title: 'the next upgrade', run: upgradeAfterAll },
  { title: 'a newer schema than the code knows', run: runOnNewerSchema },
  { title: 'a release from before processes had keys', isVital: true, run: installFormer },
  { title: 'the upgrade of that release, under load', isVital: true, run: upgradeFormer },
  { title: 'the former secret goes, under load', run: dropFormerSecret },
  {
    title: 'no environment of that release holds a secret',
    run: (context) => findNoSecrets(context, [FORMER_NAMESPACE]),
  },
];

/** In a pod of the release, with the chart's defaults. */
async function attackFromFfmpeg({ api, execIn }: StepContext): Promise<string> {
  const [pod] = await api.list<Pod>(PODS, 'app.kubernetes.io/component=splitter');
  if (pod === undefined) throw new Error('there is no splitter');
  return await tryAttemptsInImage('/scratch', (command, stdin) => execIn(pod, command, stdin));
}

/** Helm returns once the new pods are ready; the load continues until the last old pod is gone. */
async function awaitTag(context: Pick<StepContext, 'api' | 'signal'>, tag: string): Promise<void> {
  await untilSeen(context, `every pod is of ${tag}`, () => areAllOfTag(context.api, tag));
}

function fewestReady(samples: readonly Sample[]): number {
  if (samples.length === 0) throw new Error('no pods were counted during the drain');
  return Math.min(...samples.flatMap(({ replicas }) => COMPONENTS.map((name) => replicas[name]?.ready ?? 0)));
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(0)} s`;
}

function firstSentence(text: string): string {
  return text.replace(/^.*?violates/, 'it violates').split(', ')[0] ?? text;
}
