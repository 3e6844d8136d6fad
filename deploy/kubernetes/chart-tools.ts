/** The tools that test the chart, each built once from its Go module, in a pinned version. */
import { ensureGoProgram, type GoProgram } from '../provision/go-program.ts';
import type { Task } from '../provision/task.ts';
import { versions } from '../provision/versions.ts';
import { STAGING_REPLACEMENTS } from './programs.ts';

const HELM: GoProgram = {
  name: 'helm',
  package: 'helm.sh/helm/v4/cmd/helm',
  version: '4.3.1',
  minimumGo: '1.26.0',
};
const KUBECONFORM: GoProgram = {
  name: 'kubeconform',
  package: 'github.com/yannh/kubeconform/cmd/kubeconform',
  version: '0.8.0',
  minimumGo: '1.26.0',
};
const HELM_DOCS: GoProgram = {
  name: 'helm-docs',
  package: 'github.com/norwoodj/helm-docs/cmd/helm-docs',
  version: '1.14.2',
  minimumGo: '1.22.0',
};
const UNITTEST: GoProgram = {
  name: 'helm-unittest',
  package: 'github.com/helm-unittest/helm-unittest/cmd/helm-unittest',
  version: '1.1.2',
  minimumGo: '1.26.0',
  inModule: {
    module: 'github.com/helm-unittest/helm-unittest',
    // As in its own go.mod, which has no effect in modules that depend on it.
    replacements: ['github.com/vmware-labs/yaml-jsonpath=github.com/helm-unittest/yaml-jsonpath@v0.4.0'],
  },
};
/** Its module has a vanity address that some proxies do not serve. */
const KUBE_LINTER: GoProgram = {
  name: 'kube-linter',
  package: 'golang.stackrox.io/kube-linter/cmd/kube-linter',
  version: '0.8.3',
  minimumGo: '1.26.0',
  inModule: {
    module: 'golang.stackrox.io/kube-linter',
    replacements: ['golang.stackrox.io/kube-linter=github.com/stackrox/kube-linter@v0.8.3'],
  },
};

const KUBECTL: GoProgram = {
  name: 'kubectl',
  package: 'k8s.io/kubernetes/cmd/kubectl',
  version: versions.kubernetes,
  minimumGo: '1.26.4',
  inModule: { module: 'k8s.io/kubernetes', replacements: STAGING_REPLACEMENTS, ldflags: '-s -w' },
};

export type ChartTools = Awaited<ReturnType<typeof ensureChartTools>>;

/** Resolves with the programs' paths. Throws ProvisionError. */
export async function ensureChartTools(task: Task) {
  return {
    helm: await ensureHelm(task),
    kubeconform: await ensureGoProgram(KUBECONFORM, task),
    helmDocs: await ensureGoProgram(HELM_DOCS, task),
    unittest: await ensureGoProgram(UNITTEST, task),
    kubeLinter: await ensureGoProgram(KUBE_LINTER, task),
  };
}

export function ensureHelm(task: Task): Promise<string> {
  return ensureGoProgram(HELM, task);
}

/** kubectl forwards a pod's port to this machine, which a single request to the API cannot do. */
export function ensureKubectl(task: Task): Promise<string> {
  return ensureGoProgram(KUBECTL, task);
}
