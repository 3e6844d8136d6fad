/** Runs programs in a running pod: `kubectl exec`. */
import { runTool } from '../../deploy/provision/run-tool.ts';
import type { Task } from '../../deploy/provision/task.ts';
import type { Pod } from './workload.ts';

/** Resolves with the command's output. Rejects with ToolError. */
export type ExecInPod = (pod: Pod, command: readonly string[], stdin: string) => Promise<string>;

export function podExec(kubectl: string, kubeconfig: string, { signal }: Task): ExecInPod {
  const exec = ['--kubeconfig', kubeconfig, 'exec', '--stdin', '--namespace'];
  return ({ metadata: { name, namespace } }, command, stdin) =>
    runTool(kubectl, [...exec, namespace, name, '--', ...command], { signal, stdin });
}
