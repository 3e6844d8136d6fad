/**
 * Draws names of any script. A name that a standard font of PDF can show is drawn in that font. For other
 * names the invoice embeds fonts.
 */
import type PDFDocument from 'pdfkit';
import { openNameFonts } from './name-fonts.ts';
import { layOutName, type NameRun } from './name-lines.ts';
import { type SetName, setName } from './set-name.ts';

type Pdf = InstanceType<typeof PDFDocument>;

export interface Names {
  /** Draws one of the opened names below the last drawn text. */
  readonly draw: (name: string, x: number, width: number) => void;
  readonly heightOf: (name: string, width: number) => number;
}

export const STANDARD_FONT = 'Helvetica';
const GAP = 3;
/** The distance between lines of the standard font. */
const LINE_HEIGHT = 14.5;
/** Distance from the top of a line. */
const BASELINE = 8.5;
/**
 * No features beyond those that the script needs. If `features` is set, pdfkit does not divide a run at its
 * spaces.
 */
const SHAPING = { features: [] };

/** Embeds the fonts that the names need. */
export async function openNames(pdf: Pdf, names: readonly string[]): Promise<Names> {
  const fonts = openNameFonts();
  const setNames = new Map<string, SetName>(names.map((name) => [name, setName(name, fonts)]));
  for (const [file, characters] of charactersByFile([...setNames.values()])) {
    pdf.registerFont(file, await fonts.subset(file, characters));
  }
  const widthOf = ({ text, file }: NameRun) => pdf.font(file).widthOfString(text, SHAPING);
  const linesOf = (name: string, width: number) => {
    const { text, files } = setNames.get(name) ?? setName(name, fonts);
    if (files === undefined) return { text };
    const lines = layOutName(text, files, { width, widthOf });
    pdf.font(STANDARD_FONT);
    return { text, lines };
  };
  return {
    draw(name, x, width) {
      const top = pdf.y + GAP;
      const { text, lines } = linesOf(name, width);
      if (lines === undefined) {
        pdf.text(text, x, top, { width });
        return;
      }
      for (const [index, runs] of lines.entries()) {
        const y = top + index * LINE_HEIGHT + BASELINE;
        let left = x;
        for (const run of runs) {
          pdf
            .font(run.file)
            .text(run.text, left, y, { ...SHAPING, lineBreak: false, baseline: 'alphabetic' });
          left += widthOf(run);
        }
      }
      pdf.font(STANDARD_FONT);
      pdf.y = top + lines.length * LINE_HEIGHT - GAP;
    },
    heightOf(name, width) {
      const { text, lines } = linesOf(name, width);
      return lines === undefined ? pdf.heightOfString(text, { width }) : lines.length * LINE_HEIGHT;
    },
  };
}

function charactersByFile(names: readonly SetName[]): ReadonlyMap<string, string> {
  const characters = new Map<string, string>();
  for (const { text, files = [] } of names) {
    for (const [index, file] of files.entries()) {
      characters.set(file, `${characters.get(file) ?? ''}${text.charAt(index)}`);
    }
  }
  return characters;
}
