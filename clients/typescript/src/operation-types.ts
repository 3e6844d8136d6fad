/** What a method of the client takes and gives, read off the generated types. */
import type { operations } from './generated/schema.ts';

type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : undefined;
type Responses<Id extends keyof operations> = operations[Id]['responses'];

/** Of the one answer of 2xx; undefined where it has no body. */
export type Answer<Id extends keyof operations> = Json<Responses<Id>[keyof Responses<Id>]>;
export type Body<Id extends keyof operations> = Json<operations[Id]['requestBody']>;
export type Query<Id extends keyof operations> = NonNullable<operations[Id]['parameters']['query']>;
/** A row of a list that comes in pages. */
export type Row<Id extends keyof operations> =
  Answer<Id> extends { data: readonly (infer Item)[] } ? Item : never;
