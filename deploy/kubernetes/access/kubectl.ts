import { ensureGoProgram, type GoProgram } from '../../provision/go-program.ts';
import type { Task } from '../../provision/task.ts';
import { versions } from '../../provision/versions.ts';
import { STAGING_REPLACEMENTS } from '../programs.ts';

/** For what people do by it, and that is no single request: a port of a pod's at this machine. */
const KUBECTL: GoProgram = {
  name: 'kubectl',
  package: 'k8s.io/kubernetes/cmd/kubectl',
  version: versions.kubernetes,
  minimumGo: '1.26.4',
  inModule: { module: 'k8s.io/kubernetes', replacements: STAGING_REPLACEMENTS, ldflags: '-s -w' },
};

/** Resolves with its path. Throws ProvisionError. */
export function ensureKubectl(task: Task): Promise<string> {
  return ensureGoProgram(KUBECTL, task);
}
