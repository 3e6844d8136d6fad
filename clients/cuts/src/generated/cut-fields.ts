// Made from the description of the API by `npm run generate -- client`. Changes are lost.
import type { Shape } from '../shape.ts';

/** By the name of the field. */
export const CUT_SHAPES: Readonly<Record<string, Shape>> = {
  "segmentDuration": {
    "type": "integer",
    "minimum": 1,
    "maximum": 86400
  },
  "maxFileSize": {
    "type": "integer",
    "minimum": 65536,
    "maximum": 2147483648
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
        "pattern": "^auto$"
      },
      "minSilence": {
        "type": "number",
        "minimum": 0.1,
        "maximum": 60
      },
      "minDuration": {
        "type": "number",
        "minimum": 0,
        "maximum": 3600
      },
      "keepSilence": {
        "type": "number",
        "minimum": 0,
        "maximum": 10
      }
    },
    "additionalProperties": false
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
          "pattern": "^(?:\\d{1,3}:[0-5]?\\d|\\d{1,3}):[0-5]\\d(?:\\.\\d{1,3})?$"
        },
        "title": {
          "type": "string",
          "maxLength": 500
        },
        "toc": {
          "type": "boolean"
        },
        "endTime": {
          "type": [
            "number",
            "string"
          ],
          "minimum": 0,
          "maximum": 1000000,
          "pattern": "^(?:\\d{1,3}:[0-5]?\\d|\\d{1,3}):[0-5]\\d(?:\\.\\d{1,3})?$"
        },
        "img": {
          "type": "string",
          "maxLength": 2048
        },
        "url": {
          "type": "string",
          "maxLength": 2048
        },
        "location": {
          "type": "object",
          "additionalProperties": {
            "type": "string",
            "maxLength": 2048
          },
          "maxProperties": 20
        }
      },
      "additionalProperties": false
    },
    "minItems": 1,
    "maxItems": 9999
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
          "pattern": "^(?:\\d{1,3}:[0-5]?\\d|\\d{1,3}):[0-5]\\d(?:\\.\\d{1,3})?$"
        },
        "end": {
          "type": [
            "number",
            "string"
          ],
          "minimum": 0,
          "maximum": 1000000,
          "pattern": "^(?:\\d{1,3}:[0-5]?\\d|\\d{1,3}):[0-5]\\d(?:\\.\\d{1,3})?$"
        },
        "title": {
          "type": "string",
          "maxLength": 500
        }
      },
      "additionalProperties": false
    },
    "minItems": 1,
    "maxItems": 1000
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
      "pattern": "^(?:\\d{1,3}:[0-5]?\\d|\\d{1,3}):[0-5]\\d(?:\\.\\d{1,3})?$"
    },
    "minItems": 1,
    "maxItems": 9999
  },
  "parts": {
    "type": "integer",
    "minimum": 2,
    "maximum": 1000
  },
  "maxDuration": {
    "type": "number",
    "minimum": 1,
    "maximum": 86400
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
        "maximum": 60
      },
      "threshold": {
        "type": [
          "number",
          "string"
        ],
        "minimum": -90,
        "maximum": -10,
        "pattern": "^auto$"
      },
      "minSilence": {
        "type": "number",
        "minimum": 0.1,
        "maximum": 60
      }
    },
    "additionalProperties": false
  },
  "overlap": {
    "type": "number",
    "minimum": 0,
    "maximum": 30
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
        "pattern": "^(?:\\d{1,3}:[0-5]?\\d|\\d{1,3}):[0-5]\\d(?:\\.\\d{1,3})?$"
      },
      "end": {
        "type": [
          "number",
          "string"
        ],
        "minimum": 0,
        "maximum": 1000000,
        "pattern": "^(?:\\d{1,3}:[0-5]?\\d|\\d{1,3}):[0-5]\\d(?:\\.\\d{1,3})?$"
      }
    },
    "additionalProperties": false,
    "minProperties": 1
  },
  "audioTrack": {
    "type": [
      "integer",
      "string"
    ],
    "minimum": 0,
    "maximum": 2147483647,
    "pattern": "^[A-Za-z]{2,3}$"
  },
  "encoding": {
    "type": "object",
    "properties": {
      "sampleRate": {
        "type": "integer",
        "minimum": 1000,
        "maximum": 192000
      },
      "channels": {
        "type": "integer",
        "minimum": 1,
        "maximum": 2
      },
      "bitrate": {
        "type": "integer",
        "minimum": 8000,
        "maximum": 512000
      },
      "bitDepth": {
        "type": "integer",
        "enum": [
          16,
          24
        ]
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
            "maximum": -9
          }
        },
        "additionalProperties": false
      },
      "md5": {
        "type": "boolean"
      }
    },
    "additionalProperties": false,
    "minProperties": 1
  },
  "preset": {
    "enum": [
      "speech"
    ],
    "type": "string"
  },
  "fileName": {
    "type": "string",
    "minLength": 1,
    "maxLength": 500
  },
  "dryRun": {
    "type": "boolean"
  }
};

/** What a pattern asks for, in words. */
export const PATTERN_MESSAGES: Readonly<Record<string, string>> = {
  "^(?:\\d{1,3}:[0-5]?\\d|\\d{1,3}):[0-5]\\d(?:\\.\\d{1,3})?$": "must be seconds, or a time as [H:]M:SS[.mmm]",
  "^auto$": "must be auto, or a number of dBFS",
  "^[A-Za-z]{2,3}$": "must be an index from 0, or a language code of ISO 639"
};
