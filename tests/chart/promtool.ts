import { ensureGoProgram } from '../../deploy/provision/go-program.ts';
import type { Task } from '../../deploy/provision/task.ts';
import { versions } from '../../deploy/provision/versions.ts';

/** Prometheus's own evaluation of rules and expressions. Resolves with its path. Throws ProvisionError. */
export function ensurePromtool(task: Task): Promise<string> {
  return ensureGoProgram(
    {
      name: 'promtool',
      package: 'github.com/prometheus/prometheus/cmd/promtool',
      version: versions.promtool,
      minimumGo: versions.promtoolMinimumGo,
      // Without the discovery of targets in clouds, which is most of its code.
      inModule: {
        module: 'github.com/prometheus/prometheus',
        replacements: [versions.promtoolReplacement],
        tags: 'remove_all_sd',
      },
    },
    task,
  );
}
