/** Serialisers that write the members declared by a response's schema. */
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';

type BuildSerializer = ReturnType<typeof SerializerSelector>;
type Components = Readonly<Record<string, unknown>>;

const build = SerializerSelector();

/**
 * The framework would check all components for each response, which takes longer than the rest of the start.
 */
export const buildSerializer: BuildSerializer = (components, options) => (route) =>
  build(referredTo(route.schema, Object(components)), options)(route);

function referredTo(
  schema: unknown,
  components: Components,
  found: Record<string, unknown> = {},
): Components {
  for (const [, id = ''] of JSON.stringify(schema).matchAll(/"\$ref":"(\w+)#"/g)) {
    if (id in found || components[id] === undefined) continue;
    found[id] = components[id];
    referredTo(found[id], components, found);
  }
  return found;
}
