/** One stroke each, on a grid of 24. */
const paths = {
  overview: "M3 12h4l3-8 4 16 3-8h4",
  issues: "M12 3 2.5 20h19L12 3zM12 10v4M12 17v.01",
  feedback: "M4 5h16v11h-9l-5 4v-4H4z",
  pages: "M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6",
  releases: "M12 3l8 4.5v9L12 21l-8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9",
  schedules: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3.5 2",
  balance: "M12 4v16M7 20h10M5 7h14M5 7l-3 7h6zM19 7l-3 7h6z",
  live: "M12 12v.01M8.5 15.5a5 5 0 0 1 0-7M15.5 8.5a5 5 0 0 1 0 7M5.6 18.4a9 9 0 0 1 0-12.8M18.4 5.6a9 9 0 0 1 0 12.8",
  logs: "M4 6h16M4 12h16M4 18h10",
  spans: "M4 6h10M8 12h8M12 18h8",
  alerts: "M6 16v-5a6 6 0 0 1 12 0v5l2 2H4zM10 21h4",
  settings: "M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4",
  me: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4.5 20a7.5 7.5 0 0 1 15 0",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l5 5",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
