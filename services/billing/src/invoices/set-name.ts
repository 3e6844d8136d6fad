/** Selects a font for each character of a name. A character that no font has becomes `?`. */
import type { NameFonts } from './name-fonts.ts';

export interface SetName {
  readonly text: string;
  /** The font file of each UTF-16 unit of the text. Undefined if PDF's standard fonts have all characters. */
  readonly files: readonly string[] | undefined;
}

const LATIN_1 = /^[\u0020-\u007e\u00a0-\u00ff]*$/;
/**
 * Characters that are not visible, or that change the direction of the following text. Joiners are not among
 * them, because some scripts need them within words.
 */
const INVISIBLE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const ALPHABETS = ['noto-sans', 'noto-sans-hebrew', 'vazirmatn'];
/** They contain the same ideographs, each in the form of its country. */
const IDEOGRAPHS = ['noto-sans-jp', 'noto-sans-sc', 'noto-sans-tc', 'noto-sans-kr'];

export function setName(name: string, fonts: NameFonts): SetName {
  const clean = name.normalize('NFC').replace(INVISIBLE, '?');
  if (LATIN_1.test(clean)) return { text: clean, files: undefined };
  const characters = Array.from(clean);
  const families = familiesFor(characters, fonts);
  const files: string[] = [];
  let text = '';
  const set = (character: string) => {
    const file = fonts.fileOf(character, families, files.at(-1));
    if (file === undefined) return false;
    text += character;
    for (let unit = 0; unit < character.length; unit += 1) files.push(file);
    return true;
  };
  for (const character of characters) void (set(character) || set('?'));
  return { text, files };
}

/** A name does not say its country, so its ideographs are drawn in the first font that has all of them. */
function familiesFor(characters: readonly string[], fonts: NameFonts): readonly string[] {
  const others = characters.filter((character) => fonts.fileOf(character, ALPHABETS) === undefined);
  if (others.length === 0) return ALPHABETS;
  const hasAll = (family: string) => others.every((each) => fonts.fileOf(each, [family]) !== undefined);
  const whole = IDEOGRAPHS.find(hasAll);
  return [...ALPHABETS, ...(whole === undefined ? [] : [whole]), ...IDEOGRAPHS];
}
