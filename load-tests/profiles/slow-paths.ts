/** The paths of the stub server (../runner/stub-server.ts). */
export const SLOW_PATHS = {
  source: '/trickling.mp3',
  upload: '/uploads',
  stalledUpload: '/stalled-uploads',
} as const;
