/**
 * The logs of all pods of a cluster, including those that are gone: a pod's log file is hard-linked as soon
 * as it appears, so that it remains when the kubelet removes its own name for it.
 */
import { glob, link, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const EVERY_MS = 500;
const WARNING_LEVEL = 40;

interface PodLogOptions {
  /** The nodes' `/var/log`. */
  readonly folders: readonly string[];
  readonly keptIn: string;
}

export async function keepPodLogs({ folders, keptIn }: PodLogOptions) {
  await mkdir(keptIn, { recursive: true });
  const kept = new Set<string>();
  const look = async () => {
    for (const cwd of folders) {
      for await (const path of glob('pods/*/*/*.log', { cwd })) {
        if (kept.has(path)) continue;
        // The pod may be gone by now.
        const isLinked = await link(join(cwd, path), join(keptIn, nameOf(path))).then(
          () => true,
          isThereAlready,
        );
        if (isLinked) kept.add(path);
      }
    }
  };
  const over = new AbortController();
  const loop = (async () => {
    while (!over.signal.aborted) {
      await look();
      await sleep(EVERY_MS, undefined, { signal: over.signal }).catch(() => undefined);
    }
  })();
  return {
    /** The product's warnings and errors since then, in order. */
    async warningsSince(since: Date): Promise<readonly string[]> {
      const lines: string[] = [];
      for (const path of kept) {
        const content = await readFile(join(keptIn, nameOf(path)), 'utf8');
        for (const line of content.split('\n')) lines.push(...warningIn(line, podOf(path), since));
      }
      return lines.sort();
    },
    async [Symbol.asyncDispose]() {
      over.abort();
      await loop;
    },
  };
}

/** The kubelet's name for it: `pods/NAMESPACE_POD_UID/CONTAINER/RESTARTS.log`. */
function nameOf(path: string): string {
  return path.split('/').slice(1).join('_');
}

function podOf(path: string): string {
  const [namespace, pod] = (path.split('/')[1] ?? '').split('_');
  return `${namespace}/${pod}`;
}

function isThereAlready(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

/** A line as the container runtime writes it: time, stream, tag, and the process's output. */
function warningIn(line: string, pod: string, since: Date): readonly string[] {
  const written = /^\S+ std(?:out|err) F (\{.*\})$/.exec(line)?.[1];
  if (written === undefined) return [];
  try {
    const { level, time, msg, err, reason } = JSON.parse(written);
    if (!(level >= WARNING_LEVEL) || new Date(time) < since) return [];
    const details = [msg, err?.message, reason].filter((each) => each !== undefined);
    return [`${time} ${pod} ${details.join(': ')}`];
  } catch {
    return [];
  }
}
