/** The values of the release that most steps use: a trial with engines, on the cluster's own images. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { COMPONENTS } from '../../deploy/kubernetes/components.ts';
import { type ClusterLayout, CONTROL_ADDRESS, HOST_ADDRESS } from '../../deploy/kubernetes/layout.ts';
import { BASE_URL, CHART } from './release.ts';

/** Writes the files and returns them for Helm. */
export async function writeTrialValues(
  { values: clusterValues }: ClusterLayout,
  folder: string,
): Promise<readonly string[]> {
  const own = join(folder, 'trial-values.json');
  await writeFile(own, `${JSON.stringify(valuesForScenario(), null, 2)}\n`);
  return [join(CHART, 'ci/minimal-values.yaml'), clusterValues, own];
}

export function ofEachComponent(values: object) {
  return Object.fromEntries(COMPONENTS.map((component) => [component, values]));
}

/** Two of everything, small enough that one node can run all of it while the other is drained. */
function valuesForScenario() {
  const ofEach = { replicas: 2, resources: { requests: { cpu: '50m', memory: '128Mi' } } };
  return {
    publicBaseUrl: BASE_URL,
    egress: { allowCidrs: [`${HOST_ADDRESS}/32`] },
    // The metrics server queries the backlog from the API server's host.
    networkPolicies: { monitoring: { from: [{ ipBlock: { cidr: `${CONTROL_ADDRESS}/32` } }] } },
    drain: { graceSeconds: 20 },
    ...ofEachComponent(ofEach),
    // All accounts use one address.
    auth: { ...ofEach, env: [{ name: 'REGISTRATIONS_PER_HOUR', value: '0' }] },
    splitter: {
      replicas: 2,
      concurrency: 2,
      resources: {
        requests: { cpu: '200m', memory: '256Mi', 'ephemeral-storage': '1Gi' },
        // Four splitters that convert would use up both cores and starve the engines.
        limits: { cpu: '300m', 'ephemeral-storage': '9Gi' },
      },
    },
  };
}
