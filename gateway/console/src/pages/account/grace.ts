/** Days in which a deletion can be undone, by the API's contract. */
export const GRACE_DAYS = 14;
export const ALL_GONE_DAYS = 30;
