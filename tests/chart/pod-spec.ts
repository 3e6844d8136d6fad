/** A pod, as far as tests read it. Its containers receive Secrets as files: X_FILE names the file of X. */
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
  /** The Secret whose file is the variable's value. */
  readonly secret?: KeyOfSecret;
}

/**
 * The same pod, in which each variable X_FILE that names a file of a Secret becomes X with a value from that
 * Secret.
 */
export function withSecrets(pod: PodSpec): PodSpec {
  const resolve = (container: Container): Container => {
    const files = secretFilesOf(pod, container);
    const env = (container.env ?? []).map((variable): Variable => {
      const { name, value = '' } = variable;
      const secret = name.endsWith('_FILE') ? files.get(value) : undefined;
      return secret === undefined ? variable : { name: name.replace(/_FILE$/, ''), secret };
    });
    return { ...container, env };
  };
  return { ...pod, containers: (pod.containers ?? []).map(resolve) };
}

/**
 * For a pod with its secrets: one line for each secret in an environment, or in a file that no variable
 * names.
 */
export function faultsOfSecrets(pod: PodSpec): readonly string[] {
  const { containers = [], initContainers = [] } = pod;
  return [...containers, ...initContainers].flatMap((container) => {
    const { name, env = [], envFrom = [] } = container;
    const shown = env.filter(({ valueFrom }) => valueFrom?.secretKeyRef !== undefined);
    const named = new Set(env.map(({ secret }) => secret));
    const unnamed = [...secretFilesOf(pod, container)].filter(
      ([, { name: of, key }]) => ![...named].some((each) => each?.name === of && each.key === key),
    );
    return [
      ...shown.map((variable) => `${variable.name} is a secret in the environment of ${name}`),
      ...envFrom.map(() => `${name} has a whole Secret or ConfigMap as its environment`),
      ...unnamed.map(([path]) => `${name} has ${path}, which none of its variables names`),
    ];
  });
}

/** Keyed by path. */
function secretFilesOf({ volumes = [] }: PodSpec, { volumeMounts = [] }: Container) {
  const files = volumeMounts.flatMap(({ name, mountPath }) => {
    const sources = volumes.find((volume) => volume.name === name)?.projected?.sources ?? [];
    return sources.flatMap(({ secret }) =>
      (secret?.items ?? []).map(
        ({ key, path }) => [`${mountPath}/${path}`, { name: secret?.name ?? '', key }] as const,
      ),
    );
  });
  return new Map<string, (typeof files)[number][1]>(files);
}

/**
 * A container mounts the authorities' file that its environment names, because Node ignores a file that it
 * cannot read.
 */
export function faultsOfAuthorities({ env = [], volumeMounts = [] }: Container): readonly string[] {
  const file = env.find(({ name }) => name === 'NODE_EXTRA_CA_CERTS')?.value;
  if (file === undefined || volumeMounts.some(({ mountPath }) => file.startsWith(`${mountPath}/`))) return [];
  return [`NODE_EXTRA_CA_CERTS is ${file}, where nothing is mounted`];
}
