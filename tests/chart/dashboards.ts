/** The chart's dashboards, as far as tests read them. */
import { globSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly Panel[];
}

export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string } };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const FOLDER = resolve(import.meta.dirname, '../../charts/audiosplit/dashboards');

/** By file name. */
export function readDashboards(): readonly (readonly [file: string, Dashboard])[] {
  return globSync('*.json', { cwd: FOLDER })
    .sort()
    .map((file) => [basename(file), JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Dashboard]);
}
