export const OUTPUT_FORMATS = ['mp3', 'wav', 'flac', 'ogg', 'aac'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];
