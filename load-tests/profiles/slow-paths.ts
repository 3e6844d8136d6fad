/** Of the server beside the installation (../runner/stub-server.ts). */
export const SLOW_PATHS = { source: '/trickling.mp3', stall: '/stalled-uploads' } as const;
