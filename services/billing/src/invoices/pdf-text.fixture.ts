/** The visible text of a PDF of pdfkit, from left to right. */
import { inflateSync } from 'node:zlib';

export interface SeenRun {
  readonly text: string;
  /** In points from the lower left corner: the start of the text, and its baseline. */
  readonly x: number;
  readonly y: number;
}

/** A line for each run of one font. */
export function textOf(pdf: Buffer): string {
  return runsOf(pdf)
    .map(({ text }) => text)
    .join('\n');
}

/** From the pages' content streams, which contain it as hexadecimal strings with kerning in between. */
export function runsOf(pdf: Buffer): SeenRun[] {
  const objects = readObjects(pdf);
  const fonts = readFonts(objects);
  const runs: SeenRun[] = [];
  for (const { stream } of objects.values()) {
    let decode = decodeLatin1;
    let at = { x: 0, y: 0 };
    for (const [, x, y, font, shown] of stream.matchAll(
      /1 0 0 1 ([\d.]+) ([\d.]+) Tm|\/(F\d+) [\d.]+ Tf|\[([^\]]*)\] TJ/g,
    )) {
      if (x !== undefined) at = { x: Number(x), y: Number(y) };
      if (font !== undefined) decode = fonts.get(font) ?? decodeLatin1;
      if (shown === undefined) continue;
      const text = decode(Array.from(shown.matchAll(/<([0-9a-f]*)>/g), ([, part]) => part).join(''));
      runs.push({ text, ...at });
    }
  }
  return runs;
}

interface PdfObject {
  readonly head: string;
  /** Inflated; empty if it has none. */
  readonly stream: string;
}

type Decode = (hex: string) => string;

function readObjects(pdf: Buffer): ReadonlyMap<string, PdfObject> {
  const objects = new Map<string, PdfObject>();
  const text = pdf.toString('latin1');
  for (const { 1: id = '', 2: body = '' } of text.matchAll(/(?:^|\n)(\d+) 0 obj\n(.*?)\nendobj/gs)) {
    const [head = '', stream = ''] = body.split(/stream\n/, 2);
    objects.set(id, { head, stream: inflated(Buffer.from(stream, 'latin1')) });
  }
  return objects;
}

function inflated(bytes: Buffer): string {
  try {
    return inflateSync(bytes).toString('latin1');
  } catch {
    return '';
  }
}

/** By name; without fonts that are not embedded. */
function readFonts(objects: ReadonlyMap<string, PdfObject>): ReadonlyMap<string, Decode> {
  const fonts = new Map<string, Decode>();
  for (const { head } of objects.values()) {
    for (const [, name = '', id = ''] of head.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
      const [, map] = /\/ToUnicode (\d+) 0 R/.exec(objects.get(id)?.head ?? '') ?? [];
      if (map !== undefined) fonts.set(name, decodeBy(objects.get(map)?.stream ?? ''));
    }
  }
  return fonts;
}

/** Decodes with a ToUnicode map, which lists the text of each glyph. */
function decodeBy(map: string): Decode {
  const glyphs = Array.from(
    map.slice(map.indexOf('beginbfrange')).matchAll(/<([0-9a-f]+)> <[0-9a-f]+> \[([^\]]*)\]/g),
    ([, first = '', list = '']) =>
      Array.from(list.matchAll(/<([0-9a-f ]*)>/g), ([, hex = ''], index) => {
        const text = Buffer.from(hex.replaceAll(' ', ''), 'hex').swap16().toString('utf16le');
        return [Number.parseInt(first, 16) + index, text] as const;
      }),
  ).flat();
  const texts = new Map(glyphs);
  return (hex) =>
    Array.from(hex.matchAll(/.{4}/g), ([glyph]) => texts.get(Number.parseInt(glyph, 16)) ?? '\ufffd').join(
      '',
    );
}

function decodeLatin1(hex: string): string {
  return Buffer.from(hex, 'hex').toString('latin1');
}
