/** How pods lie over zones and nodes, held against what each of them asks for in its topologySpreadConstraints. */
import { componentOf, type Pod } from '../workload.ts';

export interface SpreadConstraint {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway';
}

export interface SpreadPod extends Pod {
  readonly spec: Pod['spec'] & { readonly topologySpreadConstraints?: readonly SpreadConstraint[] };
}

export interface LabelledNode {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
}

export interface Spread extends SpreadConstraint {
  readonly component: string;
  /** Pods in each domain; those without any count. */
  readonly counts: readonly number[];
  /** The most less the fewest. */
  readonly skew: number;
}

const GENERATION = 'pod-template-hash';

/** One for each constraint of each component and generation of pods; pods on no node count nowhere. */
export function spreadOf(pods: readonly SpreadPod[], nodes: readonly LabelledNode[]): readonly Spread[] {
  const groups = Map.groupBy(
    pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined),
    (pod) => `${componentOf(pod)} ${pod.metadata.labels?.[GENERATION] ?? ''}`,
  );
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    return (first.spec.topologySpreadConstraints ?? []).map((constraint) => {
      const counts = countsBy(constraint.topologyKey, group, nodes);
      const skew = Math.max(...counts) - Math.min(...counts);
      return { ...constraint, component: componentOf(first), counts, skew };
    });
  });
}

function countsBy(
  key: string,
  pods: readonly SpreadPod[],
  nodes: readonly LabelledNode[],
): readonly number[] {
  const domainOf = new Map(nodes.map(({ metadata: { name, labels } }) => [name, labels[key] ?? ''] as const));
  const counts = new Map([...domainOf.values()].map((domain) => [domain, 0]));
  for (const { spec } of pods) {
    const domain = domainOf.get(spec.nodeName ?? '');
    if (domain !== undefined) counts.set(domain, (counts.get(domain) ?? 0) + 1);
  }
  return [...counts.values()];
}

/** Musts that are not kept, a line each; empty where all are. */
export function brokenMusts(spreads: readonly Spread[]): readonly string[] {
  return spreads
    .filter(({ whenUnsatisfiable, skew, maxSkew }) => whenUnsatisfiable === 'DoNotSchedule' && skew > maxSkew)
    .map(({ component, topologyKey, counts }) => `${component} by ${topologyKey}: ${counts.join(', ')}`);
}
