const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};
const MAX_TITLE_LENGTH = 120;

/** The title of a web page, as plain text on one line; undefined if the page's beginning contains none. */
export function pageTitle(beginning: Uint8Array): string | undefined {
  const html = new TextDecoder().decode(beginning);
  const raw = /<title(?:\s[^>]*)?>([^<]*)<\/title/i.exec(html)?.[1] ?? '';
  const title = raw
    .replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/gi, (entity, decimal, hex, name) =>
      name === undefined
        ? characterOf(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal))
        : (ENTITIES[name.toLowerCase()] ?? entity),
    )
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\s\ufffd]+/gu, ' ')
    .trim();
  if (title === '') return undefined;
  const characters = [...title];
  return characters.length <= MAX_TITLE_LENGTH
    ? title
    : `${characters.slice(0, MAX_TITLE_LENGTH - 1).join('')}…`;
}

function characterOf(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : ' ';
}
