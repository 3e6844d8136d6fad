/** KEDA, which scales splitters by Kafka's lag: its three programs and its own manifests, from its Go module. */
import { dirname, join } from 'node:path';
import { downloadModule } from '../provision/go-module.ts';
import { ensureGoProgram, type GoProgram } from '../provision/go-program.ts';
import type { Task } from '../provision/task.ts';
import { versions } from '../provision/versions.ts';

const MODULE = 'github.com/kedacore/keda/v2';
const PROGRAM: GoProgram = {
  name: 'keda',
  package: `${MODULE}/cmd/operator`,
  executable: 'operator',
  version: versions.keda,
  minimumGo: '1.26.0',
  inModule: {
    module: MODULE,
    // The replacement of KEDA's go.mod, which Go ignores in a dependency.
    replacements: [
      'github.com/nexus-rpc/nexus-proto-annotations@v0.1.0=github.com/nexus-rpc/nexus-proto-annotations@v0.1.1-0.20260629224316-835bd8d49cb4',
    ],
    // The public proxy lacks this version, which only an indirect dependency names.
    exclusions: ['github.com/go-chi/chi/v5@v5.2.3'],
    isStatic: true,
    ldflags: `-s -w -X ${MODULE}/version.Version=${versions.keda}`,
    morePackages: [`${MODULE}/cmd/adapter`, `${MODULE}/cmd/webhooks`],
  },
};

export interface Keda {
  /** A folder with the statically linked programs `operator`, `adapter` and `webhooks`. */
  readonly programs: string;
  /** A folder for `kubectl apply --kustomize`, with all that its users install. */
  readonly manifests: string;
}

/** Throws ProvisionError, which says what to do. */
export async function ensureKeda(task: Task): Promise<Keda> {
  const sources = await downloadModule(`${MODULE}@v${versions.keda}`, task);
  return {
    programs: dirname(await ensureGoProgram(PROGRAM, task)),
    manifests: join(sources, 'config/default'),
  };
}
