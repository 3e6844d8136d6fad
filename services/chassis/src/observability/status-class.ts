type StatusClass = '1xx' | '2xx' | '3xx' | '4xx' | '5xx';

/**
 * The class of an HTTP status code (RFC 9110, section 15); a code outside all classes counts as a server
 * failure.
 */
export function statusClass(statusCode: number): StatusClass {
  switch (Math.floor(statusCode / 100)) {
    case 1:
      return '1xx';
    case 2:
      return '2xx';
    case 3:
      return '3xx';
    case 4:
      return '4xx';
    default:
      return '5xx';
  }
}
