/** Programs within a running pod: `kubectl exec`. */
import { runTool } from '../../deploy/provision/run-tool.ts';
import type { Task } from '../../deploy/provision/task.ts';
import { NAMESPACE } from './release.ts';
import type { Pod } from './workload.ts';

/** Resolves with what the command wrote. Rejects with ToolError. */
export type ExecInPod = (pod: Pod, command: readonly string[], stdin: string) => Promise<string>;

export function podExec(kubectl: string, kubeconfig: string, { signal }: Task): ExecInPod {
  const into = ['--kubeconfig', kubeconfig, '--namespace', NAMESPACE, 'exec', '--stdin'];
  return ({ metadata: { name } }, command, stdin) =>
    runTool(kubectl, [...into, name, '--', ...command], { signal, stdin });
}
