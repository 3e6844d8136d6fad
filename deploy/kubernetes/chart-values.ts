import { CONTROL_ADDRESS } from './layout.ts';

/** What the chart has to be told of this cluster: names are resolved by a process beside the API server, and not by pods. */
export function clusterValues() {
  return { networkPolicies: { dns: { to: [{ ipBlock: { cidr: `${CONTROL_ADDRESS}/32` } }] } } };
}
