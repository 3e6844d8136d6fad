import { type Static, type TSchema, Type } from 'typebox';

/** A reference to a component. */
export function ref<S extends TSchema & { readonly $id?: string }>(schema: S) {
  if (schema.$id === undefined) throw new Error('only a schema with an $id can be pointed to');
  return Type.Unsafe<Static<S>>({ $ref: `${schema.$id}#` });
}
