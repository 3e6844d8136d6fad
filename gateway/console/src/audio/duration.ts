const PATIENCE_MS = 8_000;

/** Duration in seconds by the browser's player. Undefined for an unknown format. */
export async function readDuration(file: File): Promise<number | undefined> {
  const url = URL.createObjectURL(file);
  try {
    return await new Promise<number | undefined>((resolve) => {
      const audio = new Audio();
      const settle = () => resolve(Number.isFinite(audio.duration) ? audio.duration : undefined);
      audio.preload = 'metadata';
      audio.onloadedmetadata = settle;
      audio.ondurationchange = () => Number.isFinite(audio.duration) && settle();
      audio.onerror = () => resolve(undefined);
      setTimeout(settle, PATIENCE_MS);
      audio.src = url;
    });
  } finally {
    URL.revokeObjectURL(url);
  }
}
