/** The operations of the API description, and the credentials that open them. */
import assert from 'node:assert/strict';
import { answerOf } from './installation.fixture.ts';

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly template: string;
  readonly takesToken: boolean;
  /** The scope that an API key needs; undefined if keys are not accepted. */
  readonly scope: string | undefined;
}

interface Described {
  readonly operationId?: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
}

export async function operationsOf({ url }: { readonly url: string }): Promise<Operation[]> {
  const { paths } = await answerOf<{ paths: Record<string, Record<string, Described>> }>(
    fetch(`${url}/openapi.json`),
  );
  return Object.entries(paths).flatMap(([template, item]) =>
    Object.entries(item).map(([method, { operationId, security }]) => {
      assert.ok(operationId !== undefined && security !== undefined, `${method} ${template}`);
      return {
        id: operationId,
        method: method.toUpperCase(),
        template,
        takesToken: security.some((each) => each.accessToken !== undefined),
        scope: security.flatMap(({ apiKey = [] }) => apiKey)[0],
      };
    }),
  );
}
