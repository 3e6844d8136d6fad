/** The words of the contracts' enums, as they are in REST, in stored rows and in metrics. */
export const OUTPUT_FORMATS = ['mp3', 'wav', 'flac', 'ogg', 'aac'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];
