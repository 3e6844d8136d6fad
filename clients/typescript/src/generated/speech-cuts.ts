// Made from the description of the API by `npm run generate -- client`. Changes are lost.

/** What a speech-to-text service takes, cut at silences: `createSplit({ sourceUrl, ...SPEECH_CUTS.openai })`. */
export const SPEECH_CUTS = {
  "openai": {
    "splitMode": "fileSize",
    "maxFileSize": 24500000,
    "maxDuration": 1390,
    "snapToSilence": {
      "window": 10
    },
    "preset": "speech"
  },
  "groq": {
    "splitMode": "fileSize",
    "maxFileSize": 24500000,
    "snapToSilence": {
      "window": 10
    },
    "preset": "speech"
  },
  "deepgram": {
    "splitMode": "fileSize",
    "maxFileSize": 1960000000,
    "snapToSilence": {
      "window": 10
    },
    "preset": "speech"
  },
  "azure": {
    "splitMode": "fileSize",
    "maxFileSize": 294000000,
    "maxDuration": 7190,
    "snapToSilence": {
      "window": 10
    },
    "preset": "speech"
  }
} as const;
