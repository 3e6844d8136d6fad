/** The share of each module in a CPU profile. */
import type { Profiler } from 'node:inspector';

export interface ModuleShare {
  readonly module: string;
  /** Share of the time in which the process was not idle. */
  readonly share: number;
}

export function sharesByModule({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): ModuleShare[] {
  const moduleOf = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const timeOf = new Map<string, number>();
  let total = 0;
  for (const [index, id] of samples.entries()) {
    const module = moduleOf.get(id) ?? 'unknown';
    const time = timeDeltas[index] ?? 0;
    if (module === 'idle') continue;
    total += time;
    timeOf.set(module, (timeOf.get(module) ?? 0) + time);
  }
  return Array.from(timeOf, ([module, time]) => ({ module, share: time / total })).sort(
    (one, other) => other.share - one.share,
  );
}

const OWN_CODE = /\/(gateway|services\/chassis|proto)\/(?:src|gen)\/([^/?]+)/;
const PACKAGE = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//;

function nameOf({ url, functionName }: Profiler.Profile['nodes'][number]['callFrame']): string {
  switch (functionName) {
    case '(idle)':
      return 'idle';
    case '(garbage collector)':
      return 'garbage collection';
    default:
      break;
  }
  if (url === '')
    return functionName === 'writev' || functionName.startsWith('write') ? 'socket writes' : 'V8 and native';
  if (url.startsWith('node:internal/deps/undici')) return 'node: Headers';
  if (url.startsWith('node:')) return 'node';
  const [, package_] = PACKAGE.exec(url) ?? [];
  if (package_ !== undefined) return package_;
  const [, workspace, folder] = OWN_CODE.exec(url) ?? [];
  return workspace === undefined ? url : `${workspace}/${folder}`;
}
