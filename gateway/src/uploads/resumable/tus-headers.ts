/** The headers of tus 1.0 for the API description; the reference server judges them. */
import { Type } from 'typebox';

export const VERSION_HEADER = {
  'Tus-Resumable': Type.String({
    enum: ['1.0.0'],
    description: 'Version of the protocol.',
    examples: ['1.0.0'],
  }),
};

export const CREATION_HEADERS = {
  ...VERSION_HEADER,
  'Upload-Length': Type.Integer({
    minimum: 1,
    description: 'Exact size of the file in bytes.',
    examples: [31_457_280],
  }),
  'Upload-Metadata': Type.Optional(
    Type.String({
      description: 'Keys, each with its value in base64: `filename`, `filetype`. HEAD gives them back.',
      examples: ['filename dGFsay5tcDM=,filetype YXVkaW8vbXBlZw=='],
    }),
  ),
};

export const PART_HEADERS = {
  ...VERSION_HEADER,
  'Upload-Offset': Type.Integer({
    minimum: 0,
    description: 'How many bytes have arrived before.',
    examples: [0],
  }),
};
