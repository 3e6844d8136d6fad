/** How long a deletion can be taken back, as the API promises it. */
export const GRACE_DAYS = 14;
export const ALL_GONE_DAYS = 30;
