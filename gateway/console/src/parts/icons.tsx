/** Pictures beside words: hidden from screen readers, which have the words. */
const PATHS = {
  play: 'M8 5.5v13l11-6.5z',
  pause: 'M7 5h4v14H7zM13 5h4v14h-4z',
  download: 'M12 4v11m0 0 4.500-4.500M12 15l-4.500-4.500M5 19.500h14',
  upload: 'M12 19V7m0 0 5 5m-5-5-5 5M5 4h14',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  check: 'm5 12.500 4.500 4.500L19 7.500',
  close: 'm6 6 12 12M18 6 6 18',
  plus: 'M12 5v14M5 12h14',
  minus: 'M5 12h14',
  retry: 'M19 12a7 7 0 1 1-2.300-5.200M19 4v4h-4',
  key: 'M14.500 9.500a4 4 0 1 0-3 3.870L13 15h2v2h2v2.500h3V17l-5.600-5.600',
  trash: 'M5 7h14M9.500 7V4.500h5V7M7 7l1 13h8l1-13M10.500 11v5.500M13.500 11v5.500',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2.500v2M12 19.500v2M2.500 12h2M19.500 12h2M5.300 5.300l1.400 1.400M17.300 17.300l1.400 1.400M18.700 5.300l-1.400 1.400M6.700 17.300l-1.400 1.400',
  moon: 'M19.500 14.500A8 8 0 0 1 9.500 4.500a8 8 0 1 0 10 10',
  auto: 'M3.500 5h17v11h-17zM9 20h6M12 16v4',
  out: 'M14 5H5v14h9M10.500 12H20m0 0-3.500-3.500M20 12l-3.500 3.500',
  link: 'M10 14a4 4 0 0 0 5.700 0l3-3A4 4 0 0 0 13 5.300l-1 1M14 10a4 4 0 0 0-5.700 0l-3 3A4 4 0 0 0 11 18.700l1-1',
  scissors:
    'M6.500 4.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5M6.500 14.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5M8.500 8.500 20 18M8.500 15.500 20 6',
  next: 'M6 5.500v13l9-6.500zM17 5.500v13',
  previous: 'M18 5.500v13L9 12zM7 5.500v13',
  alert: 'M12 4 3 19.500h18zM12 10v4.500M12 17v.200',
  terminal: 'm5 8 4 4-4 4M12 17h7',
  pencil:
    'M4.500 19.500l.800-4L15.500 5.300a1.800 1.800 0 0 1 2.600 0l.600.600a1.800 1.800 0 0 1 0 2.600L8.500 18.700zM13.500 7.300l3.200 3.200',
  sliders:
    'M4 7.500h8M17 7.500h3M4 16.500h3M12 16.500h8M14.500 5a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5M9.500 14a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5',
  person:
    'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8M4.500 20c.800-3.600 3.800-5.500 7.500-5.500s6.700 1.900 7.500 5.500',
  wave: 'M3 12h1.500M7 8v8M11 4.500v15M15 8v8M19 10.500v3',
} as const;

const FILLED: ReadonlySet<string> = new Set(['play', 'pause']);

export function Icon({ name, size = 20 }: { readonly name: keyof typeof PATHS; readonly size?: number }) {
  return (
    <svg
      class={FILLED.has(name) ? 'icon icon-filled' : 'icon'}
      width={size}
      height={size}
      viewBox="0 0 24 24"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
