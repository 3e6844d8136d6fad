/** Lengths and times as people type them. Whatever is not one reads as undefined. */

/** Seconds: `90`, `90s`, `0.5`, `500ms`, `5m`, `1h30m`. */
export function parseLengthSeconds(text: string): number | undefined {
  const milliseconds = /^(\d+)ms$/i.exec(text)?.[1];
  if (milliseconds !== undefined) return Number(milliseconds) / 1_000;
  const parts = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?|\.\d+)s?)?$/i.exec(text);
  if (parts === null || text === '') return undefined;
  const [, hours, minutes, seconds] = parts;
  return Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
}

/** Seconds from the beginning: `[H:]M:SS[.mmm]` as the API reads it, or a length. */
export function parseTimeSeconds(text: string): number | undefined {
  if (!/^(?:\d{1,3}:[0-5]?\d|\d{1,3}):[0-5]\d(?:\.\d{1,3})?$/.test(text)) return parseLengthSeconds(text);
  const seconds = text.split(':').reduce((total, part) => total * 60 + Number(part), 0);
  return Math.round(seconds * 1_000) / 1_000;
}
