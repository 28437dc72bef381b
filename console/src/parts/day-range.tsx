import { usePage } from "holdfast";
import { dayChoices, usualDays } from "./day-choices.ts";

/** The span of time that a screen shows, as links that keep the rest of the address. */
export function DayRange({ days, usual = usualDays }: { days: number; usual?: number }) {
  const { path, search } = usePage();
  return (
    <nav className="choices" aria-label="Time range">
      {dayChoices.map((choice) => (
        <a
          key={choice}
          href={path + withDays(search, choice, usual)}
          aria-current={choice === days ? "true" : undefined}
        >
          {choice === 1 ? "24 h" : `${choice} d`}
        </a>
      ))}
    </nav>
  );
}

function withDays(search: string, days: number, usual: number): string {
  const params = new URLSearchParams(search);
  params.delete("after");
  if (days === usual) params.delete("days");
  else params.set("days", String(days));
  return params.size > 0 ? `?${params}` : "";
}
