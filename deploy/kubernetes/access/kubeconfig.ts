/** The address of the API server and the credentials for it, for a member or a person. JSON is YAML. */
import { join } from 'node:path';

/** `name` is that of a certificate in `certificates`, `url` the API server's. */
export function kubeconfig(certificates: string, name: string, url: string): string {
  const file = (name: string) => join(certificates, name);
  const user = { 'client-certificate': file(`${name}.crt`), 'client-key': file(`${name}.key`) };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'audiosplit', cluster: { server: url, 'certificate-authority': file('ca.crt') } }],
    users: [{ name, user }],
    contexts: [{ name: 'audiosplit', context: { cluster: 'audiosplit', user: name } }],
    'current-context': 'audiosplit',
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}
