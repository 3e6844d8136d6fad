// Made from the description of the API by `npm run generate -- client`. Changes are lost.

export const OUTPUT_FORMATS = ['mp3', 'wav', 'flac', 'ogg', 'aac'] as const;
/** Of the numbers in a request, by the path of the field. */
export const SPLIT_BOUNDS = {
  segmentDuration: { minimum: 1, maximum: 86400 },
  maxFileSize: { minimum: 65536, maximum: 2147483648 },
  'silence.threshold': { minimum: -90, maximum: -10 },
  'silence.minSilence': { minimum: 0.1, maximum: 60 },
  'silence.minDuration': { minimum: 0, maximum: 3600 },
  'silence.keepSilence': { minimum: 0, maximum: 10 },
  parts: { minimum: 2, maximum: 1000 },
  maxDuration: { minimum: 1, maximum: 86400 },
  'snapToSilence.window': { minimum: 0.1, maximum: 60 },
  'snapToSilence.threshold': { minimum: -90, maximum: -10 },
  'snapToSilence.minSilence': { minimum: 0.1, maximum: 60 },
  overlap: { minimum: 0, maximum: 30 },
  'trim.start': { minimum: 0, maximum: 1000000 },
  'trim.end': { minimum: 0, maximum: 1000000 },
  audioTrack: { minimum: 0, maximum: 2147483647 },
  'encoding.sampleRate': { minimum: 1000, maximum: 192000 },
  'encoding.channels': { minimum: 1, maximum: 2 },
  'encoding.bitrate': { minimum: 8000, maximum: 512000 },
  'encoding.loudness.target': { minimum: -31, maximum: -9 },
};
