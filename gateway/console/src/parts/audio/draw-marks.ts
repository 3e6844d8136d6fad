/** Where a cut came from, as a sign at its foot. The list of segments says the same in words. */
import type { Mark } from '../../audio/cut-marks.ts';

const RADIUS = 5;

export function drawMarks(
  pen: CanvasRenderingContext2D,
  marks: readonly (Mark & { readonly x: number })[],
): void {
  const y = pen.canvas.clientHeight - RADIUS - 1;
  for (const { x, kind } of marks) {
    pen.beginPath();
    if (kind === 'silence') pen.arc(x, y, RADIUS, 0, 2 * Math.PI);
    else {
      pen.moveTo(x, y - RADIUS - 1);
      pen.lineTo(x + RADIUS + 1, y);
      pen.lineTo(x, y + RADIUS + 1);
      pen.lineTo(x - RADIUS - 1, y);
    }
    pen.fill();
  }
}
