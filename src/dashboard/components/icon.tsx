/** Drawn for these pages on a grid of 24, with one stroke width. */
const PATHS = {
  overview: "M4 20V10M10 20V4M16 20v-7M21 20H3",
  plant: "M12 21v-9M12 13c0-4-3-7-8-7 0 5 3 7.5 8 7.5M12 11c0-4 3-7 8-7.5 0 5-3 7.5-8 7.5",
  developer: "M8 7l-5 5 5 5M16 7l5 5-5 5M13.5 4l-3 16",
  settings: "M4 7h9M19 7h1M4 17h1M11 17h9M16 4.5v5M8 14.5v5",
  check: "M5 12.5l4.5 4.5L19 7.5",
  copy: "M9 9h11v11H9zM15 9V4H4v11h5",
  warning: "M12 4l9 16H3zM12 10v4.5M12 17.300v.2",
  clock: "M12 3.5a8.5 8.5 0 100 17 8.5 8.5 0 000-17M12 8v4.5l3 2",
  blocked: "M12 3.5a8.5 8.5 0 100 17 8.5 8.5 0 000-17M6 6l12 12",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  search: "M10.5 4a6.5 6.5 0 100 13 6.5 6.5 0 000-13M15.5 15.5L21 21",
  download: "M12 4v11M7.5 11l4.5 4.5 4.5-4.5M4 20h16",
  upload: "M12 16V5M7.5 9L12 4.5 16.5 9M4 20h16",
  plus: "M12 5v14M5 12h14",
  close: "M6 6l12 12M18 6L6 18",
  user: "M12 4a4 4 0 100 8 4 4 0 000-8M4.5 20c1-4 4-5.5 7.5-5.5s6.5 1.5 7.5 5.5",
  leave: "M10 4H4v16h6M15 8l4 4-4 4M19 12H9",
  next: "M9 5l7 7-7 7",
  unfold: "M9 5l7 7-7 7",
  fold: "M5 9l7 7 7-7",
  key: "M8 11a4.5 4.5 0 100 9 4.5 4.5 0 000-9M11.5 12.5L20 4M16 8l3 3",
  up: "M12 19V5M6 11l6-6 6 6",
  down: "M12 5v14M6 13l6 6 6-6",
  arrow: "M4 12h15M14 7l5 5-5 5",
  pause: "M8 5v14M16 5v14",
  link: "M14 4h6v6M20 4l-9 9M18 14v6H4V6h6",
} as const;

export type IconName = keyof typeof PATHS;

/** An icon always stands beside a word, or in a button with a name, so it is hidden from screen readers. */
export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  // It grows with the letters, as the buttons do.
  const length = `${size / 16}rem`;
  return (
    <svg
      width={length}
      height={length}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={name === "more" ? 3 : 1.8}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      style={{ flexShrink: 0 }}
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
