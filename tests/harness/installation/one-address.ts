/** All browsers and programs of a suite come from one address, which asks for more than any one caller does. */
export const ONE_ADDRESS = {
  PAGES_PER_MINUTE: '1000000',
  DOWNLOADS_PER_MINUTE: '1000000',
  REGISTRATIONS_PER_HOUR: '0',
};
