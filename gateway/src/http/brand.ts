/** The mark on the reference page: a waveform with a cut. */
const BARS = [8, 14, 22, 30, 18, 10, 16, 26, 34, 24, 14, 8];
const CUT_AFTER = 6;

function waveform(): string {
  const bars = BARS.map((height, n) => {
    const x = 4 + n * 7 + (n >= CUT_AFTER ? 10 : 0);
    return `<rect x="${x}" y="${22 - height / 2}" width="4" height="${height}" rx="2" fill="#6ee7b7"/>`;
  });
  const cutX = 4 + CUT_AFTER * 7 + 3;
  return `${bars.join('')}<path d="M${cutX} 4v36" stroke="#fff" stroke-width="2" stroke-dasharray="4 3"/>`;
}

export const LOGO_SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 250 44" height="40">${waveform()}<text x="110" y="30" font-family="system-ui, sans-serif" font-size="24" font-weight="600" fill="#fff">audiosplit</text></svg>`;

export const ICON_SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 44 44"><rect width="44" height="44" rx="10" fill="#064e3b"/><g transform="translate(1 0)"><rect x="5" y="15" width="5" height="14" rx="2" fill="#6ee7b7"/><rect x="13" y="8" width="5" height="28" rx="2" fill="#6ee7b7"/><path d="M21.500 5v34" stroke="#fff" stroke-width="2" stroke-dasharray="4 3"/><rect x="25" y="6" width="5" height="32" rx="2" fill="#6ee7b7"/><rect x="33" y="14" width="5" height="16" rx="2" fill="#6ee7b7"/></g></svg>`;
