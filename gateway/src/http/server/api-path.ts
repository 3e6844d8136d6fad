/** Prefix of the public API. Health checks, metrics and signed links are outside of it. */
export const API_PREFIX = '/api/v1/';

/** Matches request targets of the API, whether or not a route exists. */
export const API_PATH = /^\/api\/v1(?:[/?]|$)/;
