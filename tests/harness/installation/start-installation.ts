/** Every running product of the test suites starts here. */
import { type ProcessesInstallation, type ProcessesOptions, startProcesses } from './processes.ts';

export interface Installations {
  readonly processes: { readonly options: ProcessesOptions; readonly installation: ProcessesInstallation };
}

export type Kind = keyof Installations;

const STARTS: {
  readonly [K in Kind]: (options: Installations[K]['options']) => Promise<Installations[K]['installation']>;
} = { processes: startProcesses };

export function startInstallation<K extends Kind>(
  options: Installations[K]['options'] & { readonly kind: K },
): Promise<Installations[K]['installation']> {
  return STARTS[options.kind](options);
}
