/** Checks responses of the gateway against its own description: path, status, headers and body. */
import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

interface ResponseObject {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, unknown>>;
}
interface HeaderObject {
  readonly required?: boolean;
}
interface Description {
  readonly components?: { readonly headers?: Readonly<Record<string, HeaderObject>> };
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, ResponseObject>> }>>>
  >;
}

/** Throws an AssertionError for a response that differs from the description. Does not consume the body. */
export type DescriptionCheck = (method: string, url: URL, response: Response) => Promise<void>;

const ID = '/openapi.json';
const checks = new Map<string, DescriptionCheck>();

/** Gateways with the same description share one check, because compiling its schemas takes long. */
export async function fetchDescriptionCheck(baseUrl: string): Promise<DescriptionCheck> {
  const headers = { 'accept-encoding': 'identity' };
  const text = await (await fetch(new URL(ID, baseUrl), { headers })).text();
  const check = checks.get(text) ?? createDescriptionCheck(JSON.parse(text));
  checks.set(text, check);
  return check;
}

export function createDescriptionCheck(description: Description): DescriptionCheck {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: ID, ...description });
  const validators = new Map<string, ValidateFunction>();
  // A path without parameters goes before one that would fit as well.
  const templates = Object.keys(description.paths)
    .map((template) => ({ template, regex: regexOf(template) }))
    .sort((one, other) => Number(one.template.includes('{')) - Number(other.template.includes('{')));

  return async (method, { pathname }, response) => {
    const template = templates.find(({ regex }) => regex.test(pathname))?.template;
    const operation =
      template === undefined ? undefined : description.paths[template]?.[method.toLowerCase()];
    if (template === undefined || operation === undefined) return;
    const responseName = `${method} ${template} ${response.status}`;
    const described = operation.responses[response.status];
    assert.ok(described !== undefined, `${responseName} is not described`);
    for (const name of Object.keys(described.headers ?? {})) {
      const isRequired = description.components?.headers?.[name]?.required ?? false;
      assert.ok(!isRequired || response.headers.has(name), `${responseName} lacks ${name}`);
    }
    const [type = ''] = (response.headers.get('content-type') ?? '').split(';');
    if (method === 'HEAD' || type !== 'application/json') return;
    assert.ok(described.content?.[type] !== undefined, `${responseName} is not described as ${type}`);
    const steps = ['paths', template, method.toLowerCase(), 'responses', String(response.status)];
    const pointer = [...steps, 'content', type, 'schema'].map(escapeStep).join('/');
    const validate = validators.get(pointer) ?? ajv.compile({ $ref: `${ID}#/${pointer}` });
    validators.set(pointer, validate);
    const body: unknown = await response.clone().json();
    assert.ok(validate(body), `${responseName}: ${ajv.errorsText(validate.errors)}`);
  };
}

function regexOf(template: string): RegExp {
  // An object's key is itself a path.
  const parts = template.split(/(\{\w+\})/).map((part) => {
    if (part === '{objectKey}') return '.+';
    return part.startsWith('{') ? '[^/]+' : part.replaceAll('.', '\\.');
  });
  return new RegExp(`^${parts.join('')}$`);
}

/** RFC 6901, section 6, in a URI. */
function escapeStep(step: string): string {
  return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));
}
