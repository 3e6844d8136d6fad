/** The bounds of a split as values, for checks before a request. */
import type { Description } from './description.ts';

interface Bounds {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
}

export function renderLimits({ paths }: Description): string {
  const createSplit = Object.values(paths)
    .flatMap((item) => Object.values(item))
    .find(({ operationId }) => operationId === 'createSplit');
  const boundsOf = (property: string) => {
    const bounds = findProperty(createSplit?.requestBody, property);
    if (bounds === undefined) throw new Error(`createSplit has no ${property}`);
    return bounds;
  };
  const formats = boundsOf('outputFormat').enum ?? [];
  const { minimum, maximum } = boundsOf('maxFileSize');
  return `
export const OUTPUT_FORMATS = [${formats.map((format) => `'${format}'`).join(', ')}] as const;
export const MAX_SEGMENT_SECONDS = ${boundsOf('segmentDuration').maximum};
export const MIN_SEGMENT_BYTES = ${minimum};
export const MAX_SEGMENT_BYTES = ${maximum};
`;
}

/** Of the first object schema inside `schema` that has this property. */
function findProperty(schema: unknown, name: string): Bounds | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  const { properties } = schema as { readonly properties?: Readonly<Record<string, Bounds>> };
  if (properties?.[name] !== undefined) return properties[name];
  return Object.values(schema)
    .map((inner) => findProperty(inner, name))
    .find((found) => found !== undefined);
}
