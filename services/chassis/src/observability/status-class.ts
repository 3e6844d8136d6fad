type StatusClass = '1xx' | '2xx' | '3xx' | '4xx' | '5xx';

/** Of an HTTP status code (RFC 9110, section 15); what has no class there counts as a failure of the server. */
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
