import { useAddress } from "../address.ts";
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

/** The same screen with another span of time, from the first page on. */
export function useDays(usual: number): (days: number) => string {
  const address = useAddress();
  return (days) => address({ after: undefined, days: days === usual ? undefined : String(days) });
}
