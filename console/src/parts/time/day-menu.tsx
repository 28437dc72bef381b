import { dayChoices, usualDays } from "./day-choices.ts";
import { useDays } from "./day-range.tsx";

/** Menu of the period, for the header of the one column that it changes. */
export function DayMenu({ days }: { days: number }) {
  const hrefOf = useDays(usualDays);
  const words = (choice: number) => (choice === 1 ? "24 hours" : `${choice} days`);
  return (
    <details className="menu">
      <summary>{words(days)}</summary>
      <ul>
        {dayChoices.map((choice) => (
          <li key={choice}>
            <a href={hrefOf(choice)} aria-current={choice === days ? "true" : undefined}>
              {words(choice)}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}
