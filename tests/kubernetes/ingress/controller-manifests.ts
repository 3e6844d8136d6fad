/**
 * Traefik as operators run it: a pod with a service account, ports on its node, an IngressClass and a
 * Gateway.
 */
import type { Manifest } from '../../../deploy/kubernetes/access/api.ts';
import { PAUSE_IMAGE } from '../../../deploy/kubernetes/node.ts';

export const CONTROLLER_NAMESPACE = 'ingress';
export const INGRESS_CLASS = 'traefik';
export const GATEWAY = 'public';

/** A port for each kind, so that a response shows which kind routed its request. */
export const KINDS = {
  Ingress: { entryPoint: 'web', port: 8000, nodePort: 30_081 },
  HTTPRoute: { entryPoint: 'routes', port: 8001, nodePort: 30_082 },
} as const;
export type Kind = keyof typeof KINDS;

/** A fraction of an upload: the kernel kills a controller that buffers bodies. */
export const MEMORY_LIMIT = '256Mi';
const NAME = 'traefik';
const CONTAINER_PATH = '/traefik';
const PING_PORT = 8080;
const metadata = { name: NAME, namespace: CONTROLLER_NAMESPACE };
const rbac = 'rbac.authorization.k8s.io';

/** The arguments that docs/operations/ingress.md recommends to operators, for one entry point. */
export function streamingArguments(entryPoint: string): readonly string[] {
  return [
    `--entryPoints.${entryPoint}.transport.respondingTimeouts.readTimeout=0`,
    '--serversTransport.forwardingTimeouts.idleConnTimeout=60s',
  ];
}

const ARGUMENTS = [
  ...Object.values(KINDS).map(({ entryPoint, port }) => `--entryPoints.${entryPoint}.address=:${port}`),
  // A Gateway selects its entry point by port; an Ingress uses the default ones.
  `--entryPoints.${KINDS.Ingress.entryPoint}.asDefault=true`,
  ...new Set(Object.values(KINDS).flatMap(({ entryPoint }) => streamingArguments(entryPoint))),
  '--providers.kubernetesIngress=true',
  '--providers.kubernetesGateway=true',
  '--ping=true',
  '--log.level=INFO',
  '--global.checkNewVersion=false',
  '--global.sendAnonymousUsage=false',
];

/**
 * Applied after the definitions of the Gateway API. `program` is the path of Traefik, both on the node of
 * that name and on this machine.
 */
export function controllerManifests(program: string, nodeName: string): readonly Manifest[] {
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: CONTROLLER_NAMESPACE } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IngressClass',
      metadata: { name: INGRESS_CLASS },
      spec: { controller: 'traefik.io/ingress-controller' },
    },
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'GatewayClass',
      metadata: { name: NAME },
      spec: { controllerName: 'traefik.io/gateway-controller' },
    },
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'Gateway',
      metadata: { name: GATEWAY, namespace: CONTROLLER_NAMESPACE },
      spec: {
        gatewayClassName: NAME,
        listeners: [
          {
            name: 'http',
            protocol: 'HTTP',
            port: KINDS.HTTPRoute.port,
            allowedRoutes: { namespaces: { from: 'All' } },
          },
        ],
      },
    },
    ...rights(),
    deployment(program, nodeName),
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: {
        type: 'NodePort',
        // Otherwise requests arrive with the address of a node.
        externalTrafficPolicy: 'Local',
        selector: { app: NAME },
        ports: Object.values(KINDS).map(({ entryPoint: name, port, nodePort }) => ({ name, port, nodePort })),
      },
    },
  ];
}

/** As Traefik's documentation lists them. */
function rights(): readonly Manifest[] {
  const read = ['get', 'list', 'watch'];
  const gatewayKinds = ['gatewayclasses', 'gateways', 'httproutes', 'grpcroutes', 'tlsroutes'];
  const policyKinds = ['referencegrants', 'backendtlspolicies'];
  const statuses = [...gatewayKinds, ...policyKinds].map((kind) => `${kind}/status`);
  const rules = [
    {
      apiGroups: [''],
      resources: ['namespaces', 'nodes', 'services', 'secrets', 'configmaps'],
      verbs: read,
    },
    { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: read },
    { apiGroups: ['networking.k8s.io'], resources: ['ingresses', 'ingressclasses'], verbs: read },
    { apiGroups: ['networking.k8s.io'], resources: ['ingresses/status'], verbs: ['update'] },
    {
      apiGroups: ['gateway.networking.k8s.io'],
      resources: [...gatewayKinds, ...policyKinds],
      verbs: read,
    },
    { apiGroups: ['gateway.networking.k8s.io'], resources: statuses, verbs: ['update'] },
  ];
  const name = { name: NAME };
  return [
    { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: name, rules },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: name,
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: NAME },
      subjects: [{ kind: 'ServiceAccount', name: NAME, namespace: CONTROLLER_NAMESPACE }],
    },
  ];
}

/** Its image is the empty one that keeps pods open; the program comes from the node's disk. */
function deployment(program: string, nodeName: string): Manifest {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: {
      selector: { matchLabels: { app: NAME } },
      template: {
        metadata: { labels: { app: NAME } },
        spec: {
          serviceAccountName: NAME,
          nodeSelector: { 'kubernetes.io/hostname': nodeName },
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 65_532,
            seccompProfile: { type: 'RuntimeDefault' },
          },
          containers: [
            {
              name: NAME,
              image: PAUSE_IMAGE,
              imagePullPolicy: 'Never',
              command: [CONTAINER_PATH],
              args: ARGUMENTS,
              readinessProbe: {
                httpGet: { path: '/ping', port: PING_PORT },
                periodSeconds: 2,
                // The whole cluster shares one machine's cores.
                timeoutSeconds: 10,
              },
              resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { memory: MEMORY_LIMIT } },
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ['ALL'] },
              },
              volumeMounts: [{ name: 'program', mountPath: CONTAINER_PATH, readOnly: true }],
            },
          ],
          volumes: [{ name: 'program', hostPath: { path: program, type: 'File' } }],
        },
      },
    },
  };
}
