import { type Static, type TSchema, Type } from 'typebox';

/** Points to a schema that is described once, among the components, instead of repeating it. */
export function ref<S extends TSchema & { readonly $id?: string }>(schema: S) {
  if (schema.$id === undefined) throw new Error('only a schema with an $id can be pointed to');
  return Type.Unsafe<Static<S>>({ $ref: `${schema.$id}#` });
}
