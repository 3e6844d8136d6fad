/** What the chart renders, as far as its tests look at it. */
import { withSecrets } from './secret-files.ts';

export type Labels = Readonly<Record<string, string>>;

export interface Manifest {
  readonly kind?: string;
  readonly metadata?: { readonly name?: string; readonly labels?: Labels };
  readonly spec?: PodSpec & NetworkPolicySpec & WorkloadSpec;
}

interface WorkloadSpec {
  readonly replicas?: number;
  readonly template?: PodTemplate;
  /** A CronJob's. */
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

export interface PodSpec {
  readonly containers?: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly Volume[];
  readonly imagePullSecrets?: readonly { readonly name: string }[];
}

export interface Container {
  readonly name: string;
  readonly args?: readonly string[];
  readonly env?: readonly Variable[];
  readonly envFrom?: readonly unknown[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

interface Volume {
  readonly name: string;
  readonly projected?: {
    readonly sources?: readonly {
      readonly secret?: {
        readonly name: string;
        readonly items?: readonly { readonly key: string; readonly path: string }[];
      };
    }[];
  };
}

interface KeyOfSecret {
  readonly name: string;
  readonly key: string;
}

export interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef?: KeyOfSecret };
  /** Whose file the container has as the variable's value (secret-files.ts). */
  readonly secret?: KeyOfSecret;
}

export type Workload = ReturnType<typeof workloadsIn>[number];

/** Pods with their secrets, and what makes some; the labels are those of the pods. */
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

/** A container mounts the authorities' file that its environment names: Node ignores a file that it cannot read. */
export function faultsOfAuthorities({ env = [], volumeMounts = [] }: Container): readonly string[] {
  const file = env.find(({ name }) => name === 'NODE_EXTRA_CA_CERTS')?.value;
  if (file === undefined || volumeMounts.some(({ mountPath }) => file.startsWith(`${mountPath}/`))) return [];
  return [`NODE_EXTRA_CA_CERTS is ${file}, where nothing is mounted`];
}
