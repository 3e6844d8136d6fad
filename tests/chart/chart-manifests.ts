/** The rendered chart, as far as its tests read it. */
import { type PodSpec, withSecrets } from './pod-spec.ts';

export type Labels = Readonly<Record<string, string>>;

export interface Manifest {
  readonly kind?: string;
  readonly metadata?: { readonly name?: string; readonly labels?: Labels };
  readonly spec?: PodSpec & NetworkPolicySpec & WorkloadSpec;
}

interface WorkloadSpec {
  readonly replicas?: number;
  readonly template?: PodTemplate;
  /** The template of a CronJob. */
  readonly jobTemplate?: { readonly spec?: { readonly template?: PodTemplate } };
}

interface PodTemplate {
  readonly metadata?: { readonly labels?: Labels };
  readonly spec?: PodSpec;
}

interface NetworkPolicySpec {
  readonly podSelector?: { readonly matchLabels?: Labels };
  readonly policyTypes?: readonly string[];
  readonly egress?: readonly EgressRule[];
}

export interface EgressRule {
  readonly to?: readonly { readonly ipBlock?: { readonly cidr: string } }[];
  readonly ports?: readonly unknown[];
}

export type Workload = ReturnType<typeof workloadsIn>[number];

/** Pods with their secrets, and the objects that create pods; the labels are the pods'. */
export function workloadsIn(manifests: readonly Manifest[]) {
  return manifests.flatMap(({ kind = '', metadata = {}, spec = {} }) => {
    const template = spec.template ?? spec.jobTemplate?.spec?.template;
    const [pod, labels] =
      kind === 'Pod' ? [spec, metadata.labels] : [template?.spec, template?.metadata?.labels];
    if (pod === undefined) return [];
    return [
      {
        kind,
        name: metadata.name ?? '',
        labels: labels ?? {},
        replicas: spec.replicas ?? 1,
        pod: withSecrets(pod),
      },
    ];
  });
}
