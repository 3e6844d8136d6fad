/**
 * The chart's alert rules, as written in their files: promtool parses them as YAML, and rejects anything
 * else.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../../deploy/launcher.mjs';

export const RULES_DIR = join(repositoryRoot, 'charts/audiosplit/rules');
export const RULE_FILES = globSync('*.yaml', { cwd: RULES_DIR, exclude: ['*.test.yaml'] }).sort();

const RUNBOOK = /^ {10}runbook: \|\n((?: {12}.*\n|\n)+)/gm;

export interface Rule {
  readonly kind: 'record' | 'alert';
  readonly name: string;
  readonly text: string;
  /** For an alert: the anchor of its entry in the runbook. */
  readonly anchor?: string;
  /** Markdown: a heading and the text below it, once for all alerts of the same entry. */
  readonly runbook?: string;
}

export function readRules(file: string): readonly Rule[] {
  const text = readFileSync(join(RULES_DIR, file), 'utf8');
  return text
    .split(/^(?= {6}- (?:record|alert): )/m)
    .slice(1)
    .map((rule) => {
      const [, kind, name = ''] = /^ {6}- (record|alert): (\S+)\n/.exec(rule) ?? [];
      const [, anchor] = /\n {10}runbook_url: docs\/operations\/runbook\.md#([a-z-]+)\n/.exec(rule) ?? [];
      const [[, runbook] = []] = rule.matchAll(RUNBOOK);
      return {
        kind: kind === 'record' ? 'record' : 'alert',
        name,
        text: rule,
        ...(anchor === undefined ? {} : { anchor }),
        ...(runbook === undefined ? {} : { runbook: runbook.replaceAll(/^ {12}/gm, '').trim() }),
      };
    });
}

export function withoutRunbook(text: string): string {
  return text.replaceAll(RUNBOOK, '');
}
