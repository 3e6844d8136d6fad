/** What the chart is tested with, each built once from its Go module, at a pinned version. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheDir, ensureDirectory } from '../engines/cache.ts';
import type { Task } from '../engines/engine.ts';
import { findExecutable } from '../engines/executable.ts';
import { ensureGoProgram, type GoProgram } from '../engines/go-program.ts';
import { ProvisionError } from '../engines/provision-error.ts';
import { runTool } from '../engines/run-tool.ts';

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

interface DependencyProgram {
  readonly name: string;
  readonly module: string;
  /** Path of its main package within the module. */
  readonly main: string;
  readonly version: string;
  /** Another module with the same sources. */
  readonly replacedBy?: string;
}

/** Its go.mod replaces modules, which `go install` refuses. */
const UNITTEST: DependencyProgram = {
  name: 'helm-unittest',
  module: 'github.com/helm-unittest/helm-unittest',
  main: 'cmd/helm-unittest',
  version: '1.1.2',
};
/** Its module goes by an address of its own that not every proxy serves. */
const KUBE_LINTER: DependencyProgram = {
  name: 'kube-linter',
  module: 'golang.stackrox.io/kube-linter',
  main: 'cmd/kube-linter',
  version: '0.8.3',
  replacedBy: 'github.com/stackrox/kube-linter',
};

export interface ChartTools {
  readonly helm: string;
  readonly unittest: string;
  readonly kubeconform: string;
  readonly helmDocs: string;
  readonly kubeLinter: string;
}

/** Resolves with the programs' paths. Throws ProvisionError. */
export async function ensureChartTools(task: Task): Promise<ChartTools> {
  return {
    helm: await ensureHelm(task),
    kubeconform: await ensureGoProgram(KUBECONFORM, task),
    helmDocs: await ensureGoProgram(HELM_DOCS, task),
    unittest: await ensureAsDependency(UNITTEST, task),
    kubeLinter: await ensureAsDependency(KUBE_LINTER, task),
  };
}

export function ensureHelm(task: Task): Promise<string> {
  return ensureGoProgram(HELM, task);
}

/** Builds a program as what an empty module depends on. */
async function ensureAsDependency(program: DependencyProgram, task: Task): Promise<string> {
  const { name, module, main, version, replacedBy } = program;
  const folder = join(cacheDir(), 'bin', `${name}-${version}`);
  await ensureDirectory(folder, async (partial) => {
    const go = findExecutable('go');
    if (go === undefined) {
      throw new ProvisionError(`${name} needs Go to be built: install it from https://go.dev/dl/`);
    }
    const directives = [
      `module ${name}-build`,
      'go 1.26.0',
      `require ${module} v${version}`,
      ...(replacedBy === undefined ? [] : [`replace ${module} => ${replacedBy} v${version}`]),
    ];
    await writeFile(join(partial, 'go.mod'), `${directives.join('\n\n')}\n`);
    await task.step(`building ${name} ${version} (some minutes)`, () =>
      runTool(go, ['build', '-o', name, `${module}/${main}`], {
        signal: task.signal,
        cwd: partial,
        environment: { GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local' },
      }),
    );
  });
  return join(folder, name);
}
