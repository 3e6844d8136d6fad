/**
 * The fonts for names with characters beyond Latin-1. There is a family for each group of scripts, divided
 * into files of a few hundred characters. An invoice opens only the files that its names need.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { create, type Font } from 'fontkit';

export interface NameFonts {
  /**
   * The font file for a character. `before`, the file of the preceding character, is kept if it has this one
   * too. Undefined if no font has the character.
   */
  readonly fileOf: (character: string, families: readonly string[], before?: string) => string | undefined;
  /** A TrueType font of regular weight with these characters. */
  readonly subset: (file: string, characters: string) => Promise<Buffer>;
}

type Range = readonly [first: number, last: number];

interface FontFile {
  readonly path: string;
  /** The characters that it is meant for. It may lack some of them, and have others. */
  readonly ranges: readonly Range[];
}

/**
 * Appended to each font. fontkit reads a header for every glyph, even for a space, which has none. At the end
 * of a font it would read beyond the file.
 */
const GLYPH_HEADER = Buffer.alloc(10);

export function openNameFonts(): NameFonts {
  const filesOf = cached(readFiles);
  const bytesOf = cached((path: string) => readFileSync(pathOf(path)));
  // No file is a collection of fonts.
  const fontOf = cached((path: string) => create(bytesOf(path)) as Font);
  const has = (path: string, code: number) => fontOf(path).hasGlyphForCodePoint(code);
  return {
    fileOf(character, families, before) {
      const code = character.codePointAt(0) ?? 0;
      if (before !== undefined && has(before, code)) return before;
      const isFor = ({ ranges }: FontFile) => ranges.some(([first, last]) => first <= code && code <= last);
      for (const family of families) {
        const file = filesOf(family).find((each) => isFor(each) && has(each.path, code));
        if (file !== undefined) return file.path;
      }
      return undefined;
    },
    async subset(path, characters) {
      // Its WebAssembly takes memory as soon as it is imported.
      const { default: subsetFont } = await import('subset-font');
      // pdfkit would embed the thinnest weight of a variable font.
      const options = { targetFormat: 'truetype', variationAxes: { wght: 400 } } as const;
      const font = await subsetFont(bytesOf(path), characters, options);
      return Buffer.concat([font, GLYPH_HEADER]);
    },
  };
}

function cached<T>(read: (key: string) => T): (key: string) => T {
  const values = new Map<string, T>();
  return (key) => {
    const value = values.get(key) ?? read(key);
    values.set(key, value);
    return value;
  };
}

/** The package lists its files as `{"greek": "U+0370-0377,U+03A3", "[4]": …}`. */
function readFiles(family: string): readonly FontFile[] {
  const listed: Readonly<Record<string, string>> = JSON.parse(
    readFileSync(pathOf(`${family}/unicode.json`), 'utf8'),
  );
  return Object.entries(listed).map(([subset, ranges]) => ({
    path: `${family}/files/${family}-${subset.replace(/[[\]]/g, '')}-wght-normal.woff2`,
    ranges: ranges.split(',').map(readRange),
  }));
}

function readRange(text: string): Range {
  const [first = '', last = first] = text.replace('U+', '').split('-');
  return [Number.parseInt(first, 16), Number.parseInt(last, 16)];
}

function pathOf(path: string): string {
  return fileURLToPath(import.meta.resolve(`@fontsource-variable/${path}`));
}
