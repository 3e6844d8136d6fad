/** The formats that ffmpeg in an image of the splitter decodes and encodes, with and without the sandbox. */
import { differencesIn, formatsScript } from '../../clients/engine/suites/sandbox/formats.ts';
import type { FormatReport } from '../../clients/engine/suites/sandbox/try-formats.ts';
import { ENGINE_OF_IMAGE, type RunInImage, reportOfImage } from './script-in-image.ts';

/** Throws with the differences that the sandbox makes. */
export async function tryFormatsInImage(folder: string, run: RunInImage): Promise<void> {
  const script = await formatsScript({ ...ENGINE_OF_IMAGE, folder });
  const report: FormatReport = await reportOfImage(script, run);
  const differences = differencesIn(report, 'full');
  if (differences.length > 0) throw new Error(`ffmpeg ${report.version}: ${differences.join('; ')}`);
}
