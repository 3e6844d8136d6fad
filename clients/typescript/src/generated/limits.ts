// Made from the description of the API by `npm run generate -- client`. Changes are lost.

export const OUTPUT_FORMATS = ['mp3', 'wav', 'flac', 'ogg', 'aac'] as const;
export const MAX_SEGMENT_SECONDS = 86400;
export const MIN_SEGMENT_BYTES = 65536;
export const MAX_SEGMENT_BYTES = 2147483648;
