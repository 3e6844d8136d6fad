/** Unique folder names, also if upper and lower case are not distinguished. */
export function foldersOf(): (wanted: string) => string {
  const taken = new Set<string>();
  return (wanted) => {
    for (let number = 1; ; number++) {
      const name = number === 1 ? wanted : `${wanted} (${number})`;
      if (taken.has(name.toLowerCase())) continue;
      taken.add(name.toLowerCase());
      return name;
    }
  };
}
