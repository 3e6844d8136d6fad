export const MAX_PRESETS = 100;

/** Named settings of a split. */
export interface Preset {
  readonly id: string;
  readonly name: string;
  /** JSON text. */
  readonly request: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}
