/** The parts of an OpenAPI 3.1 description that the client is made of. */
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
  }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: ObjectSchema }>>;
  };
  readonly responses: Readonly<Record<string, Response>>;
}

interface Response {
  readonly description: string;
  readonly content?: Readonly<Record<string, unknown>>;
}

interface ObjectSchema {
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, unknown>>;
}

export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks?: unknown;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

/** A description with those operations alone that `keep` lets through, as it changes them. */
export function mapOperations(
  description: Description,
  keep: (operation: Operation, method: string, path: string) => Operation | undefined,
): Description {
  const paths = Object.entries(description.paths).flatMap(([path, item]) => {
    const kept = Object.entries(item).flatMap(([method, operation]) => {
      const changed = keep(operation, method, path);
      return changed === undefined ? [] : [[method, changed] as const];
    });
    return kept.length === 0 ? [] : [[path, Object.fromEntries(kept)] as const];
  });
  return { ...description, paths: Object.fromEntries(paths) };
}
