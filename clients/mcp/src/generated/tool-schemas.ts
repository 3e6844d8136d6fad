// Made from the description of the API by `npm run generate -- client`. Changes are lost.

export const SPLIT_PROPERTIES = {
  "sourceUrl": {
    "type": "string",
    "minLength": 1,
    "maxLength": 2048,
    "pattern": "^(?:[Hh][Tt][Tt][Pp][Ss]?|s3)://",
    "description": "Where the audio file is fetched: http or https, without user name and password. A link by which a file is shared in Google Drive, Dropbox or OneDrive stands for the file. `s3://<connection>/<key>` is an object in a bucket of the account: the name or the id of a connection, and its key below the prefix of the connection, without escapes."
  },
  "sourceHeaders": {
    "type": "object",
    "maxProperties": 10,
    "propertyNames": {
      "pattern": "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"
    },
    "additionalProperties": {
      "type": "string",
      "pattern": "^[\\u0021-\\u007e](?:[\\u0020-\\u007e]*[\\u0021-\\u007e])?$"
    },
    "description": "Headers with which the source is asked for, 8192 bytes at most: credentials, say. Not Host, Range, and what belongs to a connection. They are kept encrypted until the job ends and sent to the origin of `sourceUrl` alone, not to where it redirects."
  },
  "splitMode": {
    "enum": [
      "duration",
      "fileSize",
      "silence",
      "chapters",
      "ranges",
      "parts"
    ],
    "type": "string",
    "description": "Cut by length, under a ceiling of bytes, at silences, at chapters, at given places, or into equal parts."
  },
  "segmentDuration": {
    "type": "integer",
    "minimum": 1,
    "maximum": 86400,
    "description": "Seconds per segment. Required with splitMode `duration`, refused otherwise."
  },
  "maxFileSize": {
    "type": "integer",
    "minimum": 65536,
    "maximum": 2147483648,
    "description": "Most bytes of a segment, headers, tags and overlap included. Required with splitMode `fileSize`. With every splitMode."
  },
  "silence": {
    "type": "object",
    "properties": {
      "threshold": {
        "type": [
          "number",
          "string"
        ],
        "minimum": -90,
        "maximum": -10,
        "pattern": "^auto$",
        "description": "What is below it is silent: dBFS of the RMS over 20 ms. `auto` finds it from the sound."
      },
      "minSilence": {
        "type": "number",
        "minimum": 0.1,
        "maximum": 60,
        "description": "Seconds. Shorter silences make no cut; .5 by default."
      },
      "minDuration": {
        "type": "number",
        "minimum": 0,
        "maximum": 3600,
        "description": "Seconds. A shorter piece is joined to the next; 1 by default."
      },
      "keepSilence": {
        "type": "number",
        "minimum": 0,
        "maximum": 10,
        "description": "Seconds. Drops silences, but for so much at each edge; by default nothing is dropped."
      }
    },
    "additionalProperties": false,
    "description": "What counts as a silence between segments. Only with splitMode `silence`."
  },
  "chapters": {
    "type": "array",
    "items": {
      "type": "object",
      "required": [
        "startTime"
      ],
      "properties": {
        "startTime": {
          "type": [
            "number",
            "string"
          ],
          "minimum": 0,
          "maximum": 1000000,
          "pattern": "^(?:\\d{1,3}:[0-5]?\\d|\\d{1,3}):[0-5]\\d(?:\\.\\d{1,3})?$",
          "description": "Where the chapter begins: seconds, or a time as `[H:]M:SS[.mmm]`, to the millisecond."
        },
        "title": {
          "type": "string",
          "maxLength": 500,
          "description": "Title of the segment.",
          "pattern": "^[^\\u0000]*$"
        },
        "toc": {
          "type": "boolean",
          "description": "Where false, the chapter makes no cut."
        },
        "endTime": {
          "type": [
            "number",
            "string"
          ],
          "minimum": 0,
          "maximum": 1000000,
          "pattern": "^(?:\\d{1,3}:[0-5]?\\d|\\d{1,3}):[0-5]\\d(?:\\.\\d{1,3})?$",
          "description": "Accepted without effect: seconds, or a time as `[H:]M:SS[.mmm]`, to the millisecond."
        },
        "img": {
          "type": "string",
          "maxLength": 2048,
          "description": "Accepted without effect.",
          "pattern": "^[^\\u0000]*$"
        },
        "url": {
          "type": "string",
          "maxLength": 2048,
          "description": "Accepted without effect.",
          "pattern": "^[^\\u0000]*$"
        },
        "location": {
          "type": "object",
          "additionalProperties": {
            "type": "string",
            "maxLength": 2048,
            "pattern": "^[^\\u0000]*$"
          },
          "maxProperties": 20,
          "description": "Accepted without effect."
        }
      },
      "additionalProperties": false,
      "description": "A chapter, as Podcasting 2.0 has it."
    },
    "minItems": 1,
    "maxItems": 9999,
    "description": "Chapters in ascending order, in place of the source's own. Only with splitMode `chapters`."
  },
  "ranges": {
    "type": "array",
    "items": {
      "type": "object",
      "required": [
        "start"
      ],
      "properties": {
        "start": {
          "type": [
            "number",
            "string"
          ],
          "minimum": 0,
          "maximum": 1000000,
          "pattern": "^(?:\\d{1,3}:[0-5]?\\d|\\d{1,3}):[0-5]\\d(?:\\.\\d{1,3})?$",
          "description": "Where the range begins: seconds, or a time as `[H:]M:SS[.mmm]`, to the millisecond."
        },
        "end": {
          "type": [
            "number",
            "string"
          ],
          "minimum": 0,
          "maximum": 1000000,
          "pattern": "^(?:\\d{1,3}:[0-5]?\\d|\\d{1,3}):[0-5]\\d(?:\\.\\d{1,3})?$",
          "description": "Where it ends; without it at the end of the source: seconds, or a time as `[H:]M:SS[.mmm]`, to the millisecond."
        },
        "title": {
          "type": "string",
          "maxLength": 500,
          "description": "Title of the segment.",
          "pattern": "^[^\\u0000]*$"
        }
      },
      "additionalProperties": false,
      "description": "A range of the source."
    },
    "minItems": 1,
    "maxItems": 1000,
    "description": "One segment each, in this order; they may overlap and leave gaps. Or give `splitPoints`. Only with splitMode `ranges`."
  },
  "splitPoints": {
    "type": "array",
    "items": {
      "type": [
        "number",
        "string"
      ],
      "minimum": 0,
      "maximum": 1000000,
      "pattern": "^(?:\\d{1,3}:[0-5]?\\d|\\d{1,3}):[0-5]\\d(?:\\.\\d{1,3})?$",
      "description": "A point to cut at: seconds, or a time as `[H:]M:SS[.mmm]`, to the millisecond."
    },
    "minItems": 1,
    "maxItems": 9999,
    "description": "Where to cut, in strictly ascending order and above 0. Or give `ranges`. Only with splitMode `ranges`."
  },
  "parts": {
    "type": "integer",
    "minimum": 2,
    "maximum": 1000,
    "description": "Number of segments of equal length. Required with splitMode `parts`, refused otherwise."
  },
  "maxDuration": {
    "type": "number",
    "minimum": 1,
    "maximum": 86400,
    "description": "Seconds. No segment is longer. With every splitMode."
  },
  "snapToSilence": {
    "type": "object",
    "required": [
      "window"
    ],
    "properties": {
      "window": {
        "type": "number",
        "minimum": 0.1,
        "maximum": 60,
        "description": "Seconds. A cut moves backward by at most this."
      },
      "threshold": {
        "type": [
          "number",
          "string"
        ],
        "minimum": -90,
        "maximum": -10,
        "pattern": "^auto$",
        "description": "What is below it is silent: dBFS of the RMS over 20 ms. `auto` finds it from the sound."
      },
      "minSilence": {
        "type": "number",
        "minimum": 0.1,
        "maximum": 60,
        "description": "Seconds. Shorter silences do not count; at most `window`, by default .2 or `window`."
      }
    },
    "additionalProperties": false,
    "description": "Moves cuts back to a silence or the quietest spot. With splitMode `duration`, `fileSize` or `parts`, and with the others together with `maxDuration` or `maxFileSize`."
  },
  "overlap": {
    "type": "number",
    "minimum": 0,
    "maximum": 30,
    "description": "Seconds. Every segment but the first begins that much before its cut. Only with splitMode `duration` or `fileSize` or `silence` or `parts`."
  },
  "trim": {
    "type": "object",
    "properties": {
      "start": {
        "type": [
          "number",
          "string"
        ],
        "minimum": 0,
        "maximum": 1000000,
        "pattern": "^(?:\\d{1,3}:[0-5]?\\d|\\d{1,3}):[0-5]\\d(?:\\.\\d{1,3})?$",
        "description": "What lies before it is left out: seconds, or a time as `[H:]M:SS[.mmm]`, to the millisecond."
      },
      "end": {
        "type": [
          "number",
          "string"
        ],
        "minimum": 0,
        "maximum": 1000000,
        "pattern": "^(?:\\d{1,3}:[0-5]?\\d|\\d{1,3}):[0-5]\\d(?:\\.\\d{1,3})?$",
        "description": "What lies behind it is left out: seconds, or a time as `[H:]M:SS[.mmm]`, to the millisecond."
      }
    },
    "additionalProperties": false,
    "minProperties": 1,
    "description": "The stretch of the source that is split. Only with splitMode `duration` or `fileSize` or `silence` or `chapters` or `parts`."
  },
  "audioTrack": {
    "type": [
      "integer",
      "string"
    ],
    "minimum": 0,
    "maximum": 2147483647,
    "pattern": "^[A-Za-z]{2,3}$",
    "description": "Which audio track: an index from 0, or a language code of ISO 639. By default the first. With every splitMode."
  },
  "encoding": {
    "type": "object",
    "properties": {
      "sampleRate": {
        "type": "integer",
        "minimum": 1000,
        "maximum": 192000,
        "description": "Hz."
      },
      "channels": {
        "type": "integer",
        "minimum": 1,
        "maximum": 2,
        "description": "1 is mono, 2 is stereo."
      },
      "bitrate": {
        "type": "integer",
        "minimum": 8000,
        "maximum": 512000,
        "description": "Bits a second; mp3, aac and ogg only. All limit it by the sample rate, aac and ogg by the channels too."
      },
      "bitDepth": {
        "type": "integer",
        "enum": [
          16,
          24
        ],
        "description": "Bits a sample; wav and flac only."
      },
      "loudness": {
        "type": "object",
        "required": [
          "target"
        ],
        "properties": {
          "target": {
            "type": "number",
            "minimum": -31,
            "maximum": -9,
            "description": "LUFS."
          }
        },
        "additionalProperties": false,
        "description": "Normalises the loudness by EBU R 128, with one gain for all segments."
      },
      "md5": {
        "type": "boolean",
        "description": "Writes the MD5 of its sound to each segment of copied flac, for which all of it is decoded; flac only. Encoded flac has it anyway."
      }
    },
    "additionalProperties": false,
    "minProperties": 1,
    "description": "Encodes anew, in this way, unless only `md5` is given. What a format cannot do is refused. With every splitMode."
  },
  "preset": {
    "enum": [
      "speech"
    ],
    "type": "string",
    "description": "`speech`: mono, 16 kHz, and mp3 at 48 kbit/s unless `outputFormat` says another. Fields of `encoding` win. With every splitMode."
  },
  "fileName": {
    "type": "string",
    "minLength": 1,
    "maxLength": 500,
    "description": "Template of the file names, without the extension. Placeholders: `{name}`, `{index}`, `{number}`, `{count}`, `{title}`, `{start}`. With every splitMode.",
    "pattern": "^[^\\u0000]*$"
  },
  "outputFormat": {
    "enum": [
      "mp3",
      "wav",
      "flac",
      "ogg",
      "aac"
    ],
    "type": "string",
    "description": "Format of the segments."
  },
  "destination": {
    "type": "object",
    "required": [
      "connection"
    ],
    "properties": {
      "connection": {
        "type": "string",
        "pattern": "^[0-9A-Za-z_-]{1,64}$",
        "description": "Name or id of a connection of the account."
      },
      "prefix": {
        "type": "string",
        "maxLength": 256,
        "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]*$",
        "description": "Folder below the prefix of the connection."
      }
    },
    "additionalProperties": false,
    "description": "A bucket that the segments are put into, in a folder of the job's id, with `manifest.json` when all are there. Each segment then has its `location`."
  },
  "keepCopy": {
    "type": "boolean",
    "description": "With `destination`: false stores nothing with us, so that segments have no `downloadUrl`."
  },
  "webhookUrl": {
    "type": "string",
    "minLength": 1,
    "maxLength": 2048,
    "pattern": "^[Hh][Tt][Tt][Pp][Ss]?://",
    "description": "Where to be notified of the job's progress."
  },
  "metadata": {
    "type": "object",
    "additionalProperties": true,
    "maxProperties": 50,
    "description": "Whatever the caller wants to keep with the job; at most 8192 bytes as JSON without white space. It comes back as it was given, digit for digit. The character U+0000 and half a surrogate pair are refused.",
    "propertyNames": {
      "pattern": "^[^\\u0000]*$"
    }
  }
};

export const LIST_PROPERTIES = {
  "page": {
    "type": "integer",
    "minimum": 1,
    "maximum": 1000000,
    "default": 1,
    "description": "Which page, counted from 1."
  },
  "limit": {
    "type": "integer",
    "minimum": 1,
    "maximum": 100,
    "default": 20,
    "description": "Rows to a page."
  },
  "status": {
    "enum": [
      "queued",
      "processing",
      "completed",
      "failed"
    ],
    "type": "string",
    "description": "Where the job stands."
  },
  "sortBy": {
    "enum": [
      "createdAt",
      "completedAt"
    ],
    "type": "string",
    "default": "createdAt",
    "description": "Order by this."
  },
  "sortOrder": {
    "enum": [
      "asc",
      "desc"
    ],
    "type": "string",
    "default": "desc",
    "description": "Oldest or newest first."
  },
  "batchId": {
    "type": "string",
    "pattern": "^[0-9A-Za-z_-]{1,64}$",
    "description": "Only jobs of this batch, in the order of its sources or the reverse; `sortBy` has no effect."
  }
};

export const JOB_ID = {
  "type": "string",
  "pattern": "^[0-9A-Za-z_-]{1,64}$",
  "description": "The job."
};
