/**
 * JSON schemas of the kinds that the chart renders, for kubeconform, from the projects' own Go modules at
 * pinned versions. An object that lists its properties accepts no others: a misspelt property is refused
 * here, although an API server would drop it.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { cacheDir, ensureDirectory } from '../../deploy/provision/cache.ts';
import { downloadModule } from '../../deploy/provision/go-module.ts';
import type { Task } from '../../deploy/provision/task.ts';
import { versions as pinned } from '../../deploy/provision/versions.ts';
import { yamlToJson } from './yaml-to-json.ts';

/**
 * Where modules store the definitions of their resources: the prefix of all paths, and the names that follow.
 */
const RESOURCE_DEFINITIONS = [
  {
    module: `github.com/kedacore/keda/v2@v${pinned.keda}`,
    prefix: 'config/crd/bases/keda.sh_',
    names: ['scaledobjects', 'triggerauthentications'],
  },
  {
    module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    prefix: 'example/prometheus-operator-crd/monitoring.coreos.com_',
    names: ['servicemonitors', 'podmonitors', 'prometheusrules'],
  },
  {
    module: `sigs.k8s.io/gateway-api@v${pinned.gatewayApi}`,
    prefix: 'config/crd/standard/gateway.networking.k8s.io_',
    names: ['httproutes'],
  },
  {
    module: 'github.com/external-secrets/external-secrets@v1.3.2',
    prefix: 'config/crds/bases/external-secrets.io_',
    names: ['externalsecrets'],
  },
];

/** Increased when the code below changes. */
const FORM = 2;

interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-group-version-kind'?: readonly GroupVersionKind[];
}

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

interface ResourceDefinition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly name: string; readonly schema: { openAPIV3Schema: Schema } }[];
  };
}

/** Resolves with the file pattern for kubeconform's -schema-location. Throws ProvisionError. */
export async function ensureKubernetesSchemas(helm: string, task: Task): Promise<string> {
  const versions = [`kubernetes@v${pinned.kubernetes}`, ...RESOURCE_DEFINITIONS.map(({ module }) => module)];
  const folder = join(
    cacheDir(),
    `kubernetes-schemas-${FORM}-${versions.map((name) => basename(name)).join('-')}`,
  );
  const fill = async (partial: string) => {
    await writeKubernetesKinds(partial, task);
    await writeCustomKinds(partial, helm, task);
  };
  await ensureDirectory(folder, fill, task.signal);
  return join(folder, '{{ .ResourceKind }}{{ .KindSuffix }}.json');
}

async function writeKubernetesKinds(folder: string, task: Task): Promise<void> {
  const module = await downloadModule(`k8s.io/kubernetes@v${pinned.kubernetes}`, task);
  const text = await readFile(join(module, 'api/openapi-spec/swagger.json'), 'utf8');
  const { definitions } = JSON.parse(text) as { definitions: Readonly<Record<string, Schema>> };
  const strict = Object.fromEntries(
    Object.entries(definitions).map(([name, schema]) => [name, strictly(relaxed(name, schema))]),
  );
  for (const [name, schema] of Object.entries(definitions)) {
    const [identity, ...others] = schema['x-kubernetes-group-version-kind'] ?? [];
    // A definition that is in several groups, such as DeleteOptions, is no object of its own.
    if (identity === undefined || others.length > 0) continue;
    const needed = Object.fromEntries([...reachable(name, strict)].map((one) => [one, strict[one]]));
    await writeSchema(folder, identity, { $ref: `#/definitions/${name}`, definitions: needed });
  }
}

async function writeCustomKinds(folder: string, helm: string, task: Task): Promise<void> {
  const texts: string[] = [];
  for (const { module, prefix, names } of RESOURCE_DEFINITIONS) {
    const source = await downloadModule(module, task);
    for (const name of names) texts.push(await readFile(join(source, `${prefix}${name}.yaml`), 'utf8'));
  }
  for (const { spec } of (await yamlToJson(helm, texts)) as readonly ResourceDefinition[]) {
    for (const { name: version, schema } of spec.versions) {
      const identity = { group: spec.group, version, kind: spec.names.kind };
      await writeSchema(folder, identity, strictly(schema.openAPIV3Schema) as object);
    }
  }
}

/** Under the name that kubeconform requests: `deployment-apps-v1`, with only the first part of the group. */
function writeSchema(folder: string, { group, version, kind }: GroupVersionKind, schema: object) {
  const suffix = [group.split('.')[0], version].filter((part) => part !== '').join('-');
  return writeFile(join(folder, `${kind}-${suffix}.json`.toLowerCase()), JSON.stringify(schema));
}

/** The description says `string` although the API accepts numbers too. */
function relaxed(name: string, schema: Schema): Schema | object {
  const isQuantity = name === 'io.k8s.apimachinery.pkg.api.resource.Quantity';
  const isIntOrString = name === 'io.k8s.apimachinery.pkg.util.intstr.IntOrString';
  if (isQuantity || isIntOrString) return { type: ['string', isQuantity ? 'number' : 'integer'] };
  return schema;
}

function strictly(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strictly);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, strictly(value)]));
  const {
    type,
    properties,
    additionalProperties,
    'x-kubernetes-preserve-unknown-fields': isOpen,
  } = schema as Schema;
  const isClosed = type === 'object' && typeof properties === 'object' && !isOpen;
  return isClosed && additionalProperties === undefined ? { ...copy, additionalProperties: false } : copy;
}

/** The names of the definitions to which one refers, including itself. */
function reachable(name: string, definitions: Readonly<Record<string, unknown>>): Set<string> {
  const found = new Set([name]);
  for (const one of found) {
    for (const [, next] of JSON.stringify(definitions[one]).matchAll(/"#\/definitions\/([^"]+)"/g)) {
      if (next !== undefined) found.add(next);
    }
  }
  return found;
}
