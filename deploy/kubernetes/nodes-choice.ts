/** Whether nodes are real ones (kubelets in namespaces of the kernel's) or ones that kwok plays, and why. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { findExecutable } from '../provision/executable.ts';
import { ProvisionError } from '../provision/provision-error.ts';
import { hierarchies } from './control-groups.ts';

export const NODE_KINDS = ['real', 'simulated'] as const;
export type NodeKind = (typeof NODE_KINDS)[number];

export interface NodesChoice {
  readonly kind: NodeKind;
  /** For people, a line. */
  readonly why: string;
}

/** What real nodes are made of, each `true` where this machine has it. */
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

/** Looks only as far as it makes sense: without root nothing else decides. */
export function lookAtMachine(): MachineFacts {
  const isLinux = process.platform === 'linux';
  const isRoot = process.getuid?.() === 0;
  const decides = isLinux && isRoot;
  return {
    isLinux,
    isRoot,
    hasNamespaces: !decides || spawnSync('unshare', [...NAMESPACES, 'true']).status === 0,
    hasControlGroups: !decides || areWritable(hierarchies()),
    hasContainerd:
      !decides || ['containerd', 'apt-get'].some((program) => findExecutable(program) !== undefined),
  };
}

/** Throws ProvisionError where what is asked for cannot be had here. */
export function chooseNodes(asked: NodeKind | undefined, facts: MachineFacts): NodesChoice {
  const missing = Object.entries(MISSING).flatMap(([fact, text]) =>
    facts[fact as keyof MachineFacts] ? [] : [text],
  );
  if (asked === 'real' && missing.length > 0) {
    throw new ProvisionError(
      `nodes cannot be real here: ${missing.join(', ')}. Run this as root on Linux, or with --nodes simulated`,
    );
  }
  if (!facts.isLinux) {
    throw new ProvisionError(
      'processes are told apart and folders locked as Linux does it: run this on Linux, where simulated nodes need no root',
    );
  }
  if (asked === undefined && missing.length === 0) {
    return { kind: 'real', why: 'root, namespaces and control groups are here: nodes are real' };
  }
  if (asked === 'real') return { kind: 'real', why: 'as asked: nodes are real' };
  const reason = asked === 'simulated' ? 'as asked' : missing.join(', ');
  return {
    kind: 'simulated',
    why: `${reason}: nodes are simulated by kwok; pods are scheduled and do not run`,
  };
}

function areWritable(folders: readonly string[]): boolean {
  return folders.length > 0 && folders.every(isWritable);
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
