/** A small client of Kubernetes' API: JSON over HTTPS, with a client certificate. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [key: string]: unknown };
  readonly [key: string]: unknown;
}

/** The API server's refusal; the message is its own. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export type KubernetesApi = ReturnType<typeof openApi>;

const TIMEOUT_MS = 30_000;
const FIELD_MANAGER = 'audiosplit-cluster';
const APPLY_TYPE = 'application/apply-patch+yaml';
export const MERGE_TYPE = 'application/merge-patch+json';

/** `url`: where the API server is, `https://host:port`. */
export function openApi(certificates: string, url: string) {
  const read = (name: string) => readFileSync(join(certificates, name));
  const agent = new Agent({
    ca: read('ca.crt'),
    cert: read('admin.crt'),
    key: read('admin.key'),
    keepAlive: true,
  });
  /** Resolves with the response's object, or with its text if it is not JSON. Throws ApiError. */
  const call = async <T>(method: string, path: string, body?: unknown, contentType?: string): Promise<T> => {
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const asked = request(new URL(path, url), {
      method,
      agent,
      timeout: TIMEOUT_MS,
      headers: {
        accept: 'application/json',
        // Node sets no Content-Length for the body of a DELETE, and the rest of the connection is misread.
        ...(sent !== undefined && {
          'content-type': contentType ?? 'application/json',
          'content-length': Buffer.byteLength(sent),
        }),
      },
    });
    asked.on('timeout', () => asked.destroy(new Error(`${method} ${path}: no answer in time`)));
    // The connection can also break after the response has begun; then reading its text fails.
    asked.on('error', () => undefined);
    asked.end(sent);
    const [response] = await once(asked, 'response');
    const said = await text(response);
    const status = response.statusCode;
    if (status >= 400) throw new ApiError(status, `${method} ${path}: ${status} ${messageIn(said)}`);
    return parsed(said) as T;
  };
  return {
    call,
    list: async <T>(path: string, labelSelector?: string): Promise<readonly T[]> => {
      const query = labelSelector === undefined ? '' : `?labelSelector=${encodeURIComponent(labelSelector)}`;
      return (await call<{ readonly items: readonly T[] }>('GET', `${path}${query}`)).items;
    },
    /** Creates the object or updates it. */
    async apply(manifest: Manifest): Promise<void> {
      const path = `${pathOf(manifest)}?fieldManager=${FIELD_MANAGER}&force=true`;
      await call('PATCH', path, manifest, APPLY_TYPE);
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
}

/** Plurals by the English rule, which fits the kinds that are used here. */
export function pathOf({ apiVersion, kind, metadata: { name, namespace } }: Manifest): string {
  const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const within = namespace === undefined ? '' : `/namespaces/${namespace}`;
  const plural = `${kind.toLowerCase()}${kind.endsWith('s') ? 'es' : 's'}`;
  return `${group}${within}/${plural}/${name}`;
}

function parsed(said: string): unknown {
  try {
    return JSON.parse(said);
  } catch {
    return said;
  }
}

function messageIn(said: string): string {
  const status = parsed(said);
  return typeof status === 'object' && status !== null && 'message' in status ? String(status.message) : said;
}
