/**
 * What a cluster of simulated nodes is made of: a control plane and kwok, from their Go modules. One build for all, as they share
 * most of what takes time, and none of a node's programs in it: it takes a fraction of the time of ../programs.ts.
 */
import { dirname, join } from 'node:path';
import { installPackages } from '../../provision/debian-packages.ts';
import { findExecutable } from '../../provision/executable.ts';
import { downloadModule } from '../../provision/go-module.ts';
import { ensureGoProgram, type GoProgram } from '../../provision/go-program.ts';
import type { Task } from '../../provision/task.ts';
import { versions } from '../../provision/versions.ts';
import {
  type ControlPlanePrograms,
  controlPlaneIn,
  KUBERNETES_LDFLAGS,
  STAGING_REPLACEMENTS,
} from '../programs.ts';

const KWOK = 'sigs.k8s.io/kwok@v0.8.0';

const CONTROL_PLANE: GoProgram = {
  name: 'kubernetes-control-plane',
  package: 'k8s.io/kubernetes/cmd/kube-apiserver',
  executable: 'kube-apiserver',
  version: versions.kubernetes,
  minimumGo: '1.26.4',
  inModule: {
    module: 'k8s.io/kubernetes',
    replacements: STAGING_REPLACEMENTS,
    requirements: [KWOK],
    ldflags: KUBERNETES_LDFLAGS,
    morePackages: [
      'k8s.io/kubernetes/cmd/kube-controller-manager',
      'k8s.io/kubernetes/cmd/kube-scheduler',
      'go.etcd.io/etcd/server/v3',
      'sigs.k8s.io/kwok/cmd/kwok',
    ],
  },
};

export interface SimulatedPrograms extends ControlPlanePrograms {
  readonly kwok: string;
  /** A folder of kwok's module with the stages that its authors play nodes and pods by. */
  readonly stages: string;
}

/** Throws ProvisionError, with what to do. */
export async function ensureSimulatedPrograms(task: Task): Promise<SimulatedPrograms> {
  if (findExecutable('openssl') === undefined) {
    await installPackages(['openssl'], 'openssl, which signs the certificates,', task);
  }
  const folder = dirname(await ensureGoProgram(CONTROL_PLANE, task));
  return {
    ...controlPlaneIn(folder),
    kwok: join(folder, 'kwok'),
    stages: join(await downloadModule(KWOK, task), 'kustomize/stage'),
  };
}
