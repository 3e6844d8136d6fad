/**
 * The cluster's two certificate authorities, for its members and for the API server's front proxy, and the
 * certificates they have signed.
 */
import { generateKeyPairSync } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runTool } from '../../provision/run-tool.ts';
import type { Task } from '../../provision/task.ts';
import { API_SERVICE_ADDRESS, CONTROL_ADDRESS, type NodeLayout } from '../layout.ts';
import { FIREWALL_USER } from '../machine/firewall.ts';

const DAYS = '365';

interface Certificate {
  readonly name: string;
  readonly authority: 'ca' | 'front-proxy-ca';
  /** The user name and the group, as read by Kubernetes. */
  readonly commonName: string;
  readonly organization?: string;
  /** `DNS:…` and `IP:…` */
  readonly alternativeNames?: readonly string[];
}

export function certificatesOf(nodes: readonly NodeLayout[]): readonly Certificate[] {
  const authority = 'ca';
  const serving = [`IP:${CONTROL_ADDRESS}`, 'IP:127.0.0.1'];
  return [
    {
      name: 'api-server',
      authority,
      commonName: 'kube-apiserver',
      alternativeNames: [
        ...serving,
        `IP:${API_SERVICE_ADDRESS}`,
        'DNS:kubernetes',
        'DNS:kubernetes.default',
        'DNS:kubernetes.default.svc',
        'DNS:kubernetes.default.svc.cluster.local',
      ],
    },
    {
      name: 'extensions',
      authority,
      commonName: 'extensions',
      alternativeNames: ['metrics-server', 'external-metrics'].map((name) => `DNS:${name}.kube-system.svc`),
    },
    { name: 'admin', authority, commonName: 'admin', organization: 'system:masters' },
    { name: 'controller-manager', authority, commonName: 'system:kube-controller-manager' },
    { name: 'scheduler', authority, commonName: 'system:kube-scheduler' },
    { name: 'proxy', authority, commonName: 'system:kube-proxy' },
    { name: 'firewall', authority, commonName: FIREWALL_USER },
    { name: 'front-proxy', authority: 'front-proxy-ca', commonName: 'front-proxy' },
    ...nodes.map(
      ({ name, address }): Certificate => ({
        name,
        authority,
        commonName: `system:node:${name}`,
        organization: 'system:nodes',
        alternativeNames: [`DNS:${name}`, `IP:${address}`],
      }),
    ),
  ];
}

/**
 * Writes `<name>.crt` and `<name>.key`, readable for their owner only, and the key that signs the tokens of
 * service accounts.
 */
export async function writeCertificates(
  folder: string,
  certificates: readonly Certificate[],
  task: Task,
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const make = (args: readonly string[]) => runTool('openssl', args, { signal: task.signal });
  for (const authority of ['ca', 'front-proxy-ca']) await make(authorityRequest(folder, authority));
  for (const certificate of certificates) await make(certificateRequest(folder, certificate));
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const key = privateKey.export({ type: 'sec1', format: 'pem' });
  await writeFile(join(folder, 'service-accounts.key'), key, { mode: 0o600 });
}

function authorityRequest(folder: string, name: string): readonly string[] {
  return [
    ...common(folder, name, `/CN=audiosplit ${name}`),
    ...['-addext', 'basicConstraints=critical,CA:true'],
    ...['-addext', 'keyUsage=critical,keyCertSign,cRLSign'],
  ];
}

/** The arguments of openssl, for its `req`. */
export function certificateRequest(
  folder: string,
  { name, authority, commonName, organization, alternativeNames = [] }: Certificate,
): readonly string[] {
  const subject = `${organization === undefined ? '' : `/O=${organization}`}/CN=${commonName}`;
  return [
    ...common(folder, name, subject),
    ...['-CA', join(folder, `${authority}.crt`), '-CAkey', join(folder, `${authority}.key`)],
    ...['-addext', 'basicConstraints=critical,CA:false'],
    ...['-addext', 'extendedKeyUsage=clientAuth,serverAuth'],
    ...(alternativeNames.length === 0 ? [] : ['-addext', `subjectAltName=${alternativeNames.join()}`]),
  ];
}

function common(folder: string, name: string, subject: string): readonly string[] {
  return [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-days', DAYS, '-subj', subject],
    ...['-keyout', join(folder, `${name}.key`), '-out', join(folder, `${name}.crt`)],
  ];
}
