/** The bounds of a split as values, for checks before a request. */
import type { Description } from './description.ts';

interface Property {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
  readonly properties?: Properties;
}

type Properties = Readonly<Record<string, Property>>;

export function renderLimits({ paths }: Description): string {
  const createSplit = Object.values(paths)
    .flatMap((item) => Object.values(item))
    .find(({ operationId }) => operationId === 'createSplit');
  const properties = findProperties(createSplit?.requestBody);
  const formats = properties?.outputFormat?.enum;
  if (properties === undefined || formats === undefined) throw new Error('createSplit has no outputFormat');
  const bounds = boundsOf(properties, '');
  return `
export const OUTPUT_FORMATS = [${formats.map((format) => `'${format}'`).join(', ')}] as const;
/** Of the numbers in a request, by the path of the field. */
export const SPLIT_BOUNDS = {
${bounds.join('\n')}
};
`;
}

/** Those of objects in objects too, but not of the items of lists. */
function boundsOf(properties: Properties, parent: string): readonly string[] {
  return Object.entries(properties).flatMap(([name, { minimum, maximum, properties: inner }]) => {
    const path = `${parent}${name}`;
    if (inner !== undefined) return boundsOf(inner, `${path}.`);
    if (minimum === undefined) return [];
    const key = parent === '' ? path : `'${path}'`;
    return [`  ${key}: { minimum: ${minimum}, maximum: ${maximum} },`];
  });
}

/** Of the first object schema inside `schema` that has any. */
function findProperties(schema: unknown): Properties | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  const { properties } = schema as { readonly properties?: Properties };
  if (properties !== undefined) return properties;
  return Object.values(schema)
    .map(findProperties)
    .find((found) => found !== undefined);
}
