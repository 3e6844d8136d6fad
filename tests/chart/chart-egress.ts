/**
 * Checks where the pods of a rendered chart may connect, against the promises of decision 32: every pod is
 * restricted, and no rule allows every address. Only splitters and webhooks may reach the internet, and those
 * pods whose stores or partners the rendered values allow with `networkPolicies.<peer>.internet`.
 */
import { type EgressRule, type Labels, type Manifest, workloadsIn } from './chart-manifests.ts';

export interface PolicyValues {
  readonly networkPolicies?: Readonly<Record<string, unknown>>;
}

const LEAVES: ReadonlySet<string> = new Set(['splitter', 'webhooks']);
const COMPONENT = 'app.kubernetes.io/component';
/** A network of this size cannot be an installation's own. */
const INTERNET_PREFIX_BITS = 7;
const SERVICES = ['auth', 'account', 'billing', 'jobs', 'webhooks'];
/** The components that use each peer of networkPolicies. */
const USERS: Readonly<Record<string, readonly string[]>> = {
  postgresql: [...SERVICES, 'splitter', 'operators', 'migrations', 'tools'],
  kafka: [...SERVICES, 'splitter', 'operators', 'tools'],
  redis: ['gateway'],
  storage: ['gateway', 'account', 'billing', 'jobs', 'splitter', 'tools'],
  mail: ['account'],
  tokenIssuer: ['gateway'],
  payments: ['billing'],
  collector: ['gateway', ...SERVICES, 'splitter'],
};

/** One line per fault; empty if there is none. */
export function checkEgress(manifests: readonly Manifest[], values: PolicyValues): readonly string[] {
  const policies = manifests.filter(
    ({ kind, spec }) => kind === 'NetworkPolicy' && spec?.policyTypes?.includes('Egress') === true,
  );
  return workloadsIn(manifests).flatMap(({ kind, name, labels }) => {
    const own = policies.filter(({ spec }) => isSelected(labels, spec?.podSelector?.matchLabels ?? {}));
    const rules = own.flatMap(({ spec }) => spec?.egress ?? []);
    const faults = own.length === 0 ? ['no policy says where it may go'] : faultsOf(rules, labels, values);
    return faults.map((fault) => `${kind} ${name}: ${fault}`);
  });
}

function faultsOf(rules: readonly EgressRule[], labels: Labels, values: PolicyValues): readonly string[] {
  const component = labels[COMPONENT] ?? '';
  const faults = rules
    .filter(({ to = [] }) => to.length === 0)
    .map(({ ports }) => `a rule without peers leads to any address, ports ${JSON.stringify(ports)}`);
  if (LEAVES.has(component)) return faults;
  const outside = rules.filter(leadsToInternet);
  const allowed = Object.entries(USERS).filter(
    ([peer, users]) => users.includes(component) && isOptedIn(values, peer),
  );
  if (outside.length > allowed.length) {
    faults.push(`${outside.length} rules lead to the internet, and values let it out to ${allowed.length}`);
  }
  if (outside.some(({ ports = [] }) => ports.length === 0)) faults.push('the internet at every port');
  return faults;
}

function isOptedIn({ networkPolicies = {} }: PolicyValues, peer: string): boolean {
  const policy = networkPolicies[peer];
  return typeof policy === 'object' && policy !== null && 'internet' in policy && policy.internet === true;
}

function leadsToInternet({ to = [] }: EgressRule): boolean {
  return to.some(({ ipBlock }) => Number(ipBlock?.cidr.split('/')[1]) <= INTERNET_PREFIX_BITS);
}

function isSelected(labels: Labels, wanted: Labels): boolean {
  return Object.entries(wanted).every(([key, value]) => labels[key] === value);
}
