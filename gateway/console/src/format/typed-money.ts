/** Minor units of an amount as people type it, such as `90`, `$90` or `90.50`. Undefined: it is no amount. */
export function typedMoney(text: string): number | undefined {
  const [, whole, part = ''] = /^\$?(\d{1,6})(?:\.(\d{1,2}))?$/.exec(text.trim()) ?? [];
  return whole === undefined ? undefined : Number(whole) * 100 + Number(part.padEnd(2, '0'));
}
