import { usePage } from "holdfast";
import { dayChoices, usualDays } from "./day-choices.ts";

/** The span of time that a screen shows, as links that keep the rest of the address. */
export function DayRange({ days, usual = usualDays }: { days: number; usual?: number }) {
  const hrefOf = useDays(usual);
  return (
    <nav className="choices" aria-label="Time range">
      {dayChoices.map((choice) => (
        <a key={choice} href={hrefOf(choice)} aria-current={choice === days ? "true" : undefined}>
          {choice === 1 ? "24 h" : `${choice} d`}
        </a>
      ))}
    </nav>
  );
}

/** The address of the same screen with another span of time. */
export function useDays(usual: number): (days: number) => string {
  const { path, search } = usePage();
  return (days) => path + withDays(search, days, usual);
}

function withDays(search: string, days: number, usual: number): string {
  const params = new URLSearchParams(search);
  params.delete("after");
  if (days === usual) params.delete("days");
  else params.set("days", String(days));
  return params.size > 0 ? `?${params}` : "";
}
