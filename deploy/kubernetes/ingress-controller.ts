/** Traefik, which implements Ingress and HTTPRoute, and the resource definitions of the Gateway API, from their Go modules. */
import { join } from 'node:path';
import { downloadModule } from '../provision/go-module.ts';
import { ensureGoProgram, type GoProgram } from '../provision/go-program.ts';
import type { Task } from '../provision/task.ts';
import { versions } from '../provision/versions.ts';

const MODULE = 'github.com/traefik/traefik/v3';
const VERSION = '3.7.13';
/** The library with which Traefik requests certificates. */
const LEGO = 'github.com/go-acme/lego/v5';
const TRAEFIK: GoProgram = {
  name: 'traefik',
  package: `${MODULE}/cmd/traefik`,
  version: VERSION,
  minimumGo: '1.26.0',
  inModule: {
    module: MODULE,
    // The replacements of Traefik's go.mod, which Go ignores in a dependency. For the first one, the public proxy lacks the
    // commit that Traefik names, so this is an earlier one.
    replacements: [
      'github.com/abbot/go-http-auth=github.com/containous/go-http-auth@v0.4.1-0.20200324110947-a37a7636d23e',
      'github.com/gorilla/mux=github.com/containous/mux@v0.0.0-20250523120546-41b6ec3aed59',
      'github.com/traefik/traefik/dynamic/ext=./ext',
      `${LEGO}=./lego`,
    ],
    isStatic: true,
    ldflags: `-s -w -X ${MODULE}/pkg/version.Version=${VERSION}`,
    modules: join(import.meta.dirname, 'go-traefik'),
    changedModules: { lego: `${LEGO}@v5.4.1` },
  },
};

export interface IngressController {
  /** The path of the statically linked program. */
  readonly program: string;
  /** A folder with the definitions of the Gateway API's kinds, as YAML. */
  readonly gatewayDefinitions: string;
}

/** Throws ProvisionError, which says what to do. */
export async function ensureIngressController(task: Task): Promise<IngressController> {
  const gatewayApi = await downloadModule(`sigs.k8s.io/gateway-api@v${versions.gatewayApi}`, task);
  return {
    program: await ensureGoProgram(TRAEFIK, task),
    gatewayDefinitions: join(gatewayApi, 'config/crd/standard'),
  };
}
