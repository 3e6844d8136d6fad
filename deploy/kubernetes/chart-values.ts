import { CONTROL_ADDRESS } from './layout.ts';

/** Values for the chart: in this cluster a process beside the API server resolves names, not pods. */
export function clusterValues() {
  return { networkPolicies: { dns: { to: [{ ipBlock: { cidr: `${CONTROL_ADDRESS}/32` } }] } } };
}
