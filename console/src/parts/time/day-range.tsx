import { useAddress } from "../address.ts";
import { dayChoices, usualDays } from "./day-choices.ts";

/** Choice of the period, as links that keep the rest of the address. */
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

/** Returns the address of the same screen with another period, on the first page. */
export function useDays(usual: number): (days: number) => string {
  const address = useAddress();
  return (days) => address({ after: undefined, days: days === usual ? undefined : String(days) });
}
