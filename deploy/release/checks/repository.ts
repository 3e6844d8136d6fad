/** Checks whether the commit can be released. A dry run prints the result and continues. */
import { runTool } from '../../provision/run-tool.ts';
import type { Task } from '../../provision/task.ts';

export async function findRepositoryProblems(
  root: string,
  version: string,
  task: Task,
): Promise<readonly string[]> {
  const git = (...args: readonly string[]) => runTool('git', args, { ...task, cwd: root });
  const changed = (await git('status', '--porcelain')).split('\n').filter(Boolean);
  const tags = await git('tag', '--list', tagOf(version));
  return [
    ...(changed.length === 0
      ? []
      : [`${changed.length} files differ from the commit, such as ${changed[0]?.slice(3)}`]),
    ...(tags === '' ? [] : [`there is a tag ${tagOf(version)} already`]),
  ];
}

export function tagOf(version: string): string {
  return `v${version}`;
}
