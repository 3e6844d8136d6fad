/**
 * All browsers and programs of a suite use one address, which sends more requests than any one caller does.
 */
export const ONE_ADDRESS = {
  PAGES_PER_MINUTE: '1000000',
  DOWNLOADS_PER_MINUTE: '1000000',
  REGISTRATIONS_PER_HOUR: '0',
};
