/** The places where callers send text: every string of every request in the API description. */
import assert from 'node:assert/strict';
import { answerOf } from './installation.fixture.ts';

export interface TextPlace {
  readonly operationId: string;
  readonly method: string;
  readonly template: string;
  readonly in: 'body' | 'path' | 'query' | 'header';
  /** The field that a refusal names. */
  readonly field: string;
  /** A description for people. */
  readonly where: string;
  /** The maximum number of characters that the description allows. */
  readonly maxLength: number;
  /** The body of a request with this text at the place. */
  bodyWith(text: string): unknown;
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly maxLength?: number;
}

interface Described {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly in: 'path' | 'query' | 'header';
    readonly name: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: {
    readonly content: {
      readonly 'application/json'?: {
        readonly schema: Schema;
        readonly example?: unknown;
        readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
      };
    };
  };
}

type Put = (text: string) => unknown;

export async function textPlacesOf({ url }: { readonly url: string }): Promise<TextPlace[]> {
  const { paths } = await answerOf<{ paths: Record<string, Record<string, Described>> }>(
    fetch(`${url}/openapi.json`),
  );
  return Object.entries(paths).flatMap(([template, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      const { operationId, parameters = [], requestBody } = operation;
      const of = { operationId, method: method.toUpperCase(), template };
      const media = requestBody?.content['application/json'];
      const [first] = Object.values(media?.examples ?? {});
      const given = media?.example ?? first?.value;
      const besideBody = parameters.map(({ in: place, name: field, schema }) => {
        const { maxLength = Number.POSITIVE_INFINITY } = schema;
        const where = `${place} ${field}`;
        return { ...of, in: place, field, where, maxLength, bodyWith: () => given };
      });
      if (media === undefined) return besideBody;
      const example = Object(given ?? assert.fail(`${operationId} has no example`));
      const inBody = Object.entries(media.schema.properties ?? {}).flatMap(([field, schema]) =>
        [...textsIn(schema)].map(({ where, maxLength, put }): TextPlace => {
          const bodyWith = (text: string) => ({ ...example, [field]: put(text) });
          return { ...of, in: 'body', field, where: `body ${field}${where}`, maxLength, bodyWith };
        }),
      );
      return [...besideBody, ...inBody];
    }),
  );
}

function* textsIn(schema: Schema): Generator<{ where: string; maxLength: number; put: Put }> {
  const { maxLength = Number.POSITIVE_INFINITY, properties = {}, items, anyOf = [] } = schema;
  if ([schema.type].flat().includes('string')) yield { where: '', maxLength, put: (text) => text };
  for (const each of anyOf) yield* textsIn(each);
  if (items !== undefined) {
    for (const { where, put, ...rest } of textsIn(items))
      yield { where: `[]${where}`, put: (text) => [put(text)], ...rest };
  }
  for (const [name, property] of Object.entries(properties)) {
    for (const { where, put, ...rest } of textsIn(property))
      yield { where: `.${name}${where}`, put: (text) => ({ [name]: put(text) }), ...rest };
  }
  if (schema.additionalProperties === true) {
    const unbounded = { maxLength: Number.POSITIVE_INFINITY };
    yield { ...unbounded, where: ' (a key)', put: (text) => ({ [text]: 1 }) };
    yield { ...unbounded, where: ' (a value)', put: (text) => ({ a: text }) };
    yield { ...unbounded, where: ' (deeper)', put: (text) => ({ a: [{ b: { [text]: [1, text] } }] }) };
  }
}
