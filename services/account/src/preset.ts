export const MAX_PRESETS = 100;

/** Settings of a split under a name. */
export interface Preset {
  readonly id: string;
  readonly name: string;
  /** JSON text. */
  readonly request: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}
