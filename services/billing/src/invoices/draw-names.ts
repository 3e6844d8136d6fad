/** Draws names of any script: what PDF's standard fonts have in one of these, the rest in fonts that the file brings. */
import type PDFDocument from 'pdfkit';
import { openNameFonts } from './name-fonts.ts';
import { layOutName, type NameRun } from './name-lines.ts';
import { type SetName, setName } from './set-name.ts';

type Pdf = InstanceType<typeof PDFDocument>;

export interface Names {
  /** One of those that were opened, below what was drawn last. */
  readonly draw: (name: string, x: number, width: number) => void;
  readonly heightOf: (name: string, width: number) => number;
}

export const STANDARD_FONT = 'Helvetica';
const GAP = 3;
/** As far apart as lines of the standard font that follow each other. */
const LINE_HEIGHT = 14.5;
/** Below the top of its line. */
const BASELINE = 8.5;
/** Of all that a font may do, what its scripts need; given at all, pdfkit does not divide a run at its spaces. */
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
