import { type Static, Type } from 'typebox';
import { CLOSED, displayName, pathId, timestamp } from './fields.ts';
import { ref } from './ref.ts';
import { SplitSettings } from './split-settings.ts';

export const MAX_PRESET_BYTES = 16 * 1024;

const name = displayName('Name of the preset.');

export const PresetParams = Type.Object({ presetId: pathId('pre', 'The preset.') });

export const PutPresetBody = Type.Object(
  {
    name,
    request: Type.Object(SplitSettings.properties, {
      ...CLOSED,
      description: `As in the body that creates a job; at most ${MAX_PRESET_BYTES} bytes as JSON.`,
    }),
  },
  CLOSED,
);
export type PutPresetBody = Static<typeof PutPresetBody>;

export const Preset = Type.Object(
  {
    id: Type.String(),
    name,
    request: ref(SplitSettings),
    createdAt: timestamp('When it was first saved.'),
    updatedAt: timestamp('When it was last saved.'),
  },
  { $id: 'Preset' },
);
export type Preset = Static<typeof Preset>;

const BuiltInPreset = Type.Object({
  id: Type.String({ examples: ['openai'] }),
  name,
  request: ref(SplitSettings),
  source: Type.Optional(Type.String({ description: 'Where its figures stand.' })),
});

export const PresetList = Type.Object(
  {
    data: Type.Array(ref(Preset), { description: "The account's, by name." }),
    builtIn: Type.Array(BuiltInPreset, { description: 'Those that everybody has.' }),
  },
  { $id: 'PresetList' },
);
export type PresetList = Static<typeof PresetList>;
