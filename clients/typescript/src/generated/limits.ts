// Made from the description of the API by `npm run generate -- client`. Changes are lost.

export const OUTPUT_FORMATS = ['mp3', 'wav', 'flac', 'ogg', 'aac'] as const;
/** Of the numbers in a request, by the name of the field. */
export const SPLIT_BOUNDS = {
  segmentDuration: { minimum: 1, maximum: 86400 },
  maxFileSize: { minimum: 65536, maximum: 2147483648 },
  parts: { minimum: 2, maximum: 1000 },
  maxDuration: { minimum: 1, maximum: 86400 },
  overlap: { minimum: 0, maximum: 30 },
  audioTrack: { minimum: 0, maximum: 2147483647 },
};
