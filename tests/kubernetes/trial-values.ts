/** The values of the release that most steps are about: a trial, engines and all, on the cluster's own images. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { COMPONENTS } from '../../deploy/kubernetes/components.ts';
import { type ClusterLayout, CONTROL_ADDRESS, HOST_ADDRESS } from '../../deploy/kubernetes/layout.ts';
import { BASE_URL, CHART } from './release.ts';

/** Resolves with the files, for Helm. */
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

/** Two of everything, small enough for one node to carry all of it while the other is drained. */
function valuesForScenario() {
  const ofEach = { replicas: 2, resources: { requests: { cpu: '50m', memory: '128Mi' } } };
  return {
    publicBaseUrl: BASE_URL,
    egress: { allowCidrs: [`${HOST_ADDRESS}/32`] },
    // The metrics server of the backlog asks from beside the API server.
    networkPolicies: { monitoring: { from: [{ ipBlock: { cidr: `${CONTROL_ADDRESS}/32` } }] } },
    drain: { graceSeconds: 20 },
    ...ofEachComponent(ofEach),
    // All accounts come from one address.
    auth: { ...ofEach, env: [{ name: 'REGISTRATIONS_PER_HOUR', value: '0' }] },
    splitter: {
      replicas: 2,
      concurrency: 2,
      resources: {
        requests: { cpu: '200m', memory: '256Mi', 'ephemeral-storage': '1Gi' },
        limits: { 'ephemeral-storage': '9Gi' },
      },
    },
  };
}
