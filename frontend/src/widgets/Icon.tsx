/** Line icons on a 16 × 16 grid, drawn in the colour of the text. */
const PATHS = {
  alert: "M8 1.8 14.9 14H1.1L8 1.8zM8 6v3.6M8 11.6v.6",
  check: "M2.8 8.4l3.4 3.4 7-7.6",
  chevron: "M4 6l4 4 4-4",
  close: "M3.5 3.5l9 9M12.5 3.5l-9 9",
  columns: "M2 3h12v10H2zM6 3v10M10 3v10",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  download: "M8 2v8M4.8 7 8 10.2 11.2 7M2.5 13.5h11",
  error: "M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM5.7 5.7l4.6 4.6M10.3 5.7l-4.6 4.6",
  filter: "M2 3h12l-4.6 5.4V13l-2.8-1.5V8.4z",
  help: "M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM6.1 6.2a1.9 1.9 0 1 1 2.7 1.9c-.6.3-.8.6-.8 1.3M8 11.4v.1",
  info: "M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM8 7.2v4M8 4.6v.7",
  link: "M6.5 9.5l3-3M7.2 4.8l1.6-1.6a2.8 2.8 0 0 1 4 4l-1.6 1.6M8.8 11.2l-1.6 1.6a2.8 2.8 0 0 1-4-4l1.6-1.6",
  logo: "M1.5 3.5h8M4 8h10M1.5 12.5h6",
  moon: "M13.5 9.6A6 6 0 1 1 6.4 2.5a4.8 4.8 0 0 0 7.1 7.1z",
  record: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 6.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6z",
  reset: "M3 8a5 5 0 1 0 1.6-3.7M3 2.6v2.8h2.8",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.3 10.3l3.4 3.4",
  sun: "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM8 1.2v1.4M8 13.4v1.4M1.2 8h1.4M13.4 8h1.4M3.2 3.2l1 1M11.8 11.8l1 1M12.8 3.2l-1 1M4.2 11.8l-1 1",
  table: "M2 3h12v10H2zM2 6.5h12M6.5 6.5V13",
  arrow: "M3 8h10M9 4l4 4-4 4",
  fit: "M2.5 3v10M13.5 3v10M5 8h6M6.8 6 4.8 8l2 2M9.2 6l2 2-2 2",
  flatten: "M2.5 5h11M2.5 8h11M2.5 11h11",
  grip: "M6 3v.01M6 8v.01M6 13v.01M10 3v.01M10 8v.01M10 13v.01",
  minus: "M3 8h10",
  pan: "M8 1.8v12.4M1.8 8h12.4M6.2 3.6 8 1.8l1.8 1.8M6.2 12.4 8 14.2l1.8-1.8M3.6 6.2 1.8 8l1.8 1.8M12.4 6.2 14.2 8l-1.8 1.8",
  pin: "M6 2h4l-.6 4.6L12 9H4l2.6-2.4zM8 9v5",
  plus: "M8 3v10M3 8h10",
  select: "M3 2.5l9.5 5.2-4.2 1.2-2 4z",
  timing: "M2 4v8M14 4v8M2 8h12M4.5 6 2.5 8l2 2M11.5 6l2 2-2 2",
  up: "M4 10l4-4 4 4",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon-svg" viewBox="0 0 16 16" aria-hidden="true">
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        stroke-width="1.5"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
