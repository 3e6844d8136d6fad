/**
 * The connections that docs/architecture.md and decision 32 allow. Not read from the chart, so that its
 * faults are found.
 */
import { COMPONENTS } from '../../deploy/kubernetes/components.ts';
import { markdownTable } from '../harness/command/markdown-table.ts';

export const ENGINES = ['postgresql', 'redis', 'kafka', 'storage'] as const;
const STRANGERS = ['stranger', 'impostor'] as const;
export const CALLERS = [...COMPONENTS, ...ENGINES, ...STRANGERS] as const;
export type Caller = (typeof CALLERS)[number];

/**
 * `outside`: a server outside the cluster at an address that `egress.allowCidrs` names; `metrics`: of any
 * component.
 */
export const PEERS = [...COMPONENTS, 'metrics', ...ENGINES, 'names', 'outside', 'API server'] as const;
export type Peer = (typeof PEERS)[number];

/** No policy restricts the egress of strangers, and the gateway accepts all callers. */
const STRANGER: readonly Peer[] = ['gateway', 'names', 'outside', 'API server'];

export const MAY_REACH: Readonly<Record<Caller, readonly Peer[]>> = {
  gateway: ['auth', 'account', 'billing', 'jobs', 'webhooks', 'redis', 'storage', 'names'],
  auth: ['billing', 'postgresql', 'kafka', 'names'],
  account: ['auth', 'billing', 'jobs', 'webhooks', 'postgresql', 'kafka', 'storage', 'names'],
  billing: ['postgresql', 'kafka', 'storage', 'names'],
  jobs: ['billing', 'splitter', 'postgresql', 'kafka', 'storage', 'names'],
  splitter: ['jobs', 'kafka', 'storage', 'names', 'outside'],
  webhooks: ['postgresql', 'kafka', 'names', 'outside'],
  postgresql: [],
  redis: [],
  storage: [],
  // It resolves its own address before it calls itself.
  kafka: ['kafka', 'names'],
  // `stranger` is a pod of the same namespace without labels; `impostor` is one of another namespace with the
  // labels of a gateway.
  stranger: STRANGER,
  impostor: STRANGER,
};

/**
 * No policy allows it, but kube-router matches a connection against both halves of each policy that selects
 * one of its ends.
 */
const LET_THROUGH: readonly (readonly [Caller, Peer])[] = [['gateway', 'gateway']];

/** The outcome when a caller's pods try to connect to a peer's pods. */
export type Reach = 'all' | 'none' | 'some' | 'nothing tried';
export type Reached = Readonly<Record<Caller, Readonly<Record<Peer, Reach>>>>;

export function reachOf(outcomes: readonly string[]): Reach {
  if (outcomes.length === 0) return 'nothing tried';
  const open = outcomes.filter((outcome) => outcome === 'open').length;
  if (open === outcomes.length) return 'all';
  return open === 0 ? 'none' : 'some';
}

/**
 * One line for each connection that should be possible and is not, or the reverse; empty if there is no
 * breach.
 */
export function breachesOf(reached: Reached): readonly string[] {
  return CALLERS.flatMap((caller) =>
    PEERS.flatMap((peer) => {
      const reach = reached[caller][peer];
      const isAllowed = MAY_REACH[caller].includes(peer);
      // A component with a single pod has no other pod of its kind, and no policy applies between a pod and
      // itself.
      if (reach === 'nothing tried' && caller === peer) return [];
      if (reach === (isAllowed ? 'all' : 'none')) return [];
      if (LET_THROUGH.some(([from, to]) => from === caller && to === peer)) return [];
      const how = reach === 'some' ? 'at times' : isAllowed ? 'not' : 'all the same';
      if (reach === 'nothing tried') return [`nobody has tried whether ${caller} reaches ${peer}`];
      return [`${caller} ${isAllowed ? 'may' : 'may not'} reach ${peer}, and does ${how}`];
    }),
  );
}

/** Markdown. */
export function renderReached(reached: Reached): string {
  const cell = (reach: Reach) => ({ all: 'yes', none: '–', some: 'at times', 'nothing tried': '' })[reach];
  const notes = LET_THROUGH.filter(([from, to]) => ['all', 'some'].includes(reached[from][to])).map(
    ([from, to]) =>
      `\nFrom ${from} to ${to} no policy leads: kube-router, which enforces here, lets through what the same policy lets in.`,
  );
  const rows = CALLERS.map((caller) => [caller, ...PEERS.map((peer) => cell(reached[caller][peer]))]);
  return [markdownTable(['from \\ to', ...PEERS], rows, () => 'text'), ...notes].join('\n');
}
