/**
 * The peaks of a recording, by the browser's decoder. Decoding needs memory for all samples, so long recordings are
 * skipped, and a low sample rate is enough for a picture.
 */

export interface Peaks {
  /** Peak of each interval, from 0 to 255. */
  readonly values: Uint8Array;
  readonly seconds: number;
}

const SAMPLE_RATE_HZ = 8_000;
const MAX_FILE_BYTES = 200e6;
const MAX_SECONDS = 2 * 3_600;
/** Enough to zoom in. */
const COUNT = 20_000;

/** Undefined if the browser cannot decode the file, or it is too long. */
export async function readPeaks(file: File, seconds: number | undefined): Promise<Peaks | undefined> {
  if (file.size > MAX_FILE_BYTES || seconds === undefined || seconds > MAX_SECONDS) return undefined;
  try {
    const context = new OfflineAudioContext(1, 1, SAMPLE_RATE_HZ);
    const audio = await context.decodeAudioData(await file.arrayBuffer());
    return { values: outline(audio), seconds: audio.duration };
  } catch {
    return undefined;
  }
}

function outline(audio: AudioBuffer): Uint8Array {
  const channels = Array.from({ length: audio.numberOfChannels }, (_, n) => audio.getChannelData(n));
  const loudest = new Float32Array(COUNT);
  const perStretch = audio.length / COUNT;
  for (const samples of channels) {
    for (let n = 0; n < COUNT; n += 1) {
      const end = Math.min(samples.length, Math.ceil((n + 1) * perStretch));
      let most = loudest[n] ?? 0;
      for (let at = Math.floor(n * perStretch); at < end; at += 1)
        most = Math.max(most, Math.abs(samples[at] ?? 0));
      loudest[n] = most;
    }
  }
  const scale = 255 / Math.max(0.01, ...loudest);
  return Uint8Array.from(loudest, (each) => Math.round(each * scale));
}

const STORED = 'audiosplit.peaks.';

/** Keeps the peaks of a job's file while the tab is open. */
export function keepPeaks(jobId: string, { values, seconds }: Peaks): void {
  try {
    sessionStorage.setItem(STORED + jobId, `${seconds} ${btoa(String.fromCharCode(...values))}`);
  } catch {
    // With a full storage there are no peaks, nothing else.
  }
}

export function keptPeaks(jobId: string): Peaks | undefined {
  const [seconds, text] = sessionStorage.getItem(STORED + jobId)?.split(' ') ?? [];
  if (seconds === undefined || text === undefined) return undefined;
  return { seconds: Number(seconds), values: Uint8Array.from(atob(text), (each) => each.charCodeAt(0)) };
}
