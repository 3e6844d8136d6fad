/** Matroska's elements (RFC 9559 5.1), as far as audio is concerned. */
export const EBML_HEADER = 0x1a45dfa3;
export const SEGMENT = 0x18538067;

export const INFO = 0x1549a966;
export const TITLE = 0x7ba9;
export const TRACKS = 0x1654ae6b;
export const TAGS = 0x1254c367;
export const CLUSTER = 0x1f43b675;
export const SEEK_HEAD = 0x114d9b74;
const CUES = 0x1c53bb6b;
export const CHAPTERS = 0x1043a770;
const ATTACHMENTS = 0x1941a469;

export const SIMPLE_BLOCK = 0xa3;
export const BLOCK_GROUP = 0xa0;
export const BLOCK = 0xa1;
export const DISCARD_PADDING = 0x75a2;
export const TIMESTAMP = 0xe7;
const SILENT_TRACKS = 0x5854;
const POSITION = 0xa7;
const PREVIOUS_SIZE = 0xab;

const VOID = 0xec;
const CRC_32 = 0xbf;

/** Other elements that may occur, and are skipped. */
export const PASSED_IN_SEGMENT: ReadonlySet<number> = new Set([
  ...[SEEK_HEAD, INFO, TAGS, CUES, CHAPTERS, ATTACHMENTS, VOID, CRC_32],
]);
export const PASSED_IN_CLUSTER: ReadonlySet<number> = new Set([
  ...[TIMESTAMP, SILENT_TRACKS, POSITION, PREVIOUS_SIZE, VOID, CRC_32],
]);
