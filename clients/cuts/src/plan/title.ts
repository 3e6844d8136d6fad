/** In code points, as in the API. */
const MAX_TITLE_CHARACTERS = 500;
/** A number of UTF-16 units that always suffices for these code points and for what surrounds them. */
const MAX_LOOKED_AT = 4 * MAX_TITLE_CHARACTERS;

const CONTROLS = /[\p{Cc}\u2028\u2029]+/gu;
/** These reorder text, so that a title or a file name made of it looks like another one. */
const BIDI_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu;
const LONE_SURROGATE = /\p{Surrogate}/gu;

/** Returns a single line of at most 500 characters; undefined if nothing remains. */
export function cleanTitle(title: string | undefined): string | undefined {
  if (title === undefined) return undefined;
  const line = title
    .slice(0, MAX_LOOKED_AT)
    .replaceAll(CONTROLS, ' ')
    .replaceAll(BIDI_CONTROLS, '')
    .replaceAll(LONE_SURROGATE, '\ufffd')
    .trim();
  const cut = line.length <= MAX_TITLE_CHARACTERS ? line : cutAtCharacter(line).trim();
  return cut === '' ? undefined : cut;
}

function cutAtCharacter(line: string): string {
  let end = 0;
  let characterCount = 0;
  for (const character of line) {
    if (characterCount === MAX_TITLE_CHARACTERS) break;
    characterCount += 1;
    end += character.length;
  }
  return line.slice(0, end);
}
