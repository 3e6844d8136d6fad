/** Checks whether this machine can run a cluster, with kubelets in kernel namespaces. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { findExecutable } from '../../provision/executable.ts';
import { ProvisionError } from '../../provision/provision-error.ts';
import { hierarchies } from './control-groups.ts';

/** The requirements of nodes, each `true` if this machine fulfils it. */
export interface MachineFacts {
  readonly isLinux: boolean;
  readonly isRoot: boolean;
  readonly hasNamespaces: boolean;
  readonly hasControlGroups: boolean;
  readonly hasContainerd: boolean;
}

const MISSING: Readonly<Record<keyof MachineFacts, string>> = {
  isLinux: 'not Linux',
  isRoot: 'not root',
  hasNamespaces: 'no namespaces of its own allowed',
  hasControlGroups: 'no control groups that can be written',
  hasContainerd: 'neither containerd nor an apt-get that installs it',
};
const NAMESPACES = ['--net', '--mount', '--pid', '--uts', '--ipc', '--fork'];

/** Without root, the other requirements are not checked. */
export function readMachineFacts(): MachineFacts {
  const isLinux = process.platform === 'linux';
  const isRoot = process.getuid?.() === 0;
  const decides = isLinux && isRoot;
  const groups = hierarchies();
  return {
    isLinux,
    isRoot,
    hasNamespaces: !decides || spawnSync('unshare', [...NAMESPACES, 'true']).status === 0,
    hasControlGroups: !decides || (groups.length > 0 && groups.every(isWritable)),
    hasContainerd:
      !decides || ['containerd', 'apt-get'].some((program) => findExecutable(program) !== undefined),
  };
}

/** Throws ProvisionError with everything that is missing. */
export function assertAble(facts: MachineFacts): void {
  const missing = Object.entries(MISSING).flatMap(([fact, text]) =>
    facts[fact as keyof MachineFacts] ? [] : [text],
  );
  if (missing.length === 0) return;
  throw new ProvisionError(`no cluster can run here: ${missing.join(', ')}. Run this as root on Linux`);
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
