/** KEDA's own manifests, with its programs from the nodes' disk instead of images, which no registry serves here. */
import { join, relative } from 'node:path';
import type { Keda } from '../../../deploy/kubernetes/keda.ts';
import { PAUSE_IMAGE } from '../../../deploy/kubernetes/node.ts';

export const KEDA_NAMESPACE = 'keda';

/** By Deployment: the program, and the path at which its container starts it. */
export const KEDA_DEPLOYMENTS = {
  'keda-operator': { program: 'operator', containerPath: '/keda' },
  'keda-metrics-apiserver': { program: 'adapter', containerPath: '/keda-adapter' },
  'keda-admission': { program: 'webhooks', containerPath: '/keda-admission-webhooks' },
} as const;

/** `kustomization.yaml` of `folder`, as JSON, which is YAML. */
export function kedaOverlay({ programs, manifests }: Keda, folder: string): object {
  return {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    // An absolute path is refused.
    resources: [relative(folder, manifests)],
    patches: Object.entries(KEDA_DEPLOYMENTS).map(([name, { program, containerPath }]) => ({
      target: { kind: 'Deployment', name },
      patch: JSON.stringify(fromDisk(join(programs, program), containerPath)),
    })),
  };
}

function fromDisk(program: string, containerPath: string) {
  const pod = '/spec/template/spec';
  const container = `${pod}/containers/0`;
  const mount = { name: 'program', mountPath: containerPath, readOnly: true };
  return [
    // The image is the empty one that keeps pods open; it names no user.
    { op: 'replace', path: `${container}/image`, value: PAUSE_IMAGE },
    { op: 'replace', path: `${container}/imagePullPolicy`, value: 'Never' },
    { op: 'add', path: `${pod}/securityContext/runAsUser`, value: 65_532 },
    { op: 'add', path: `${container}/volumeMounts/-`, value: mount },
    {
      op: 'add',
      path: `${pod}/volumes/-`,
      value: { name: 'program', hostPath: { path: program, type: 'File' } },
    },
    // The whole cluster shares one machine's cores.
    ...['readinessProbe', 'livenessProbe'].map((probe) => ({
      op: 'add',
      path: `${container}/${probe}/timeoutSeconds`,
      value: 10,
    })),
  ];
}
