/** The free-form items of iTunes' tags, `udta/meta/ilst/----`, each with a name and a value. */
import { findBox, findBoxes } from '../copy/m4a/boxes.ts';

const META_VERSION_BYTES = 4;
/** Version and flags. */
const NAME_AT = 4;
/** Type and locale. */
const VALUE_AT = 8;

/** The first text of that name; the name is given in lower case. */
export function readItunesText(moov: Buffer, name: string): string | undefined {
  const meta = findBox(moov, 'udta', 'meta')?.subarray(META_VERSION_BYTES);
  const items = meta && findBox(meta, 'ilst');
  if (items === undefined) return undefined;
  const item = findBoxes(items, '----').find(
    (body) => findBox(body, 'name')?.toString('utf8', NAME_AT).toLowerCase() === name,
  );
  return item && findBox(item, 'data')?.toString('utf8', VALUE_AT);
}
