/** The bounds of a split as values, for checks before a request. */
import type { Description } from './description.ts';

interface Property {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
}

type Properties = Readonly<Record<string, Property>>;

export function renderLimits({ paths }: Description): string {
  const createSplit = Object.values(paths)
    .flatMap((item) => Object.values(item))
    .find(({ operationId }) => operationId === 'createSplit');
  const properties = findProperties(createSplit?.requestBody);
  const formats = properties?.outputFormat?.enum;
  if (properties === undefined || formats === undefined) throw new Error('createSplit has no outputFormat');
  const bounds = Object.entries(properties).filter(([, { minimum }]) => minimum !== undefined);
  return `
export const OUTPUT_FORMATS = [${formats.map((format) => `'${format}'`).join(', ')}] as const;
/** Of the numbers in a request, by the name of the field. */
export const SPLIT_BOUNDS = {
${bounds.map(([name, { minimum, maximum }]) => `  ${name}: { minimum: ${minimum}, maximum: ${maximum} },`).join('\n')}
};
`;
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
