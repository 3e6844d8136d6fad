/** Below it lies what callers use; beside it what runs the service and what links point to. */
export const API_PREFIX = '/api/v1/';

/** Targets of requests to it, whether there is anything at them or not. */
export const API_PATH = /^\/api\/v1(?:[/?]|$)/;
