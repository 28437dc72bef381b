import type { ReactNode } from "react";
import type { SavedLinks } from "../../server/saved-searches.ts";
import { useAddress } from "../address.ts";
import { SavedMenu } from "../saved-menu.tsx";
import { DayRange } from "../time/day-range.tsx";
import { ExactTime } from "../time/time-ago.tsx";

interface SearchLineProps {
  title: string;
  data: { typed: string; days: number; chosen: { from: number; to: number } | undefined; saved: SavedLinks };
  placeholder: string;
  links?: ReactNode;
}

/** Heading, filter and time of a search screen, in one line. */
export function SearchLine({ title, data: { typed, days, chosen, saved }, placeholder, links }: SearchLineProps) {
  const address = useAddress();
  return (
    <>
      <div className="title-line">
        <h1>{title}</h1>
        <form className="asks one-line" key={typed}>
          <label>
            <span className="unseen">Filter</span>
            <input type="search" name="q" defaultValue={typed} placeholder={placeholder} />
          </label>
          {days !== 1 && <input type="hidden" name="days" value={days} />}
          <button type="submit">Search</button>
        </form>
        <DayRange days={chosen ? 0 : days} />
        <SavedMenu saved={saved} />
        {links}
      </div>
      {chosen && (
        <p>
          From <ExactTime at={chosen.from} /> to <ExactTime at={chosen.to} />.{" "}
          <a href={address({ from: undefined, to: undefined, after: undefined })}>Any time</a>
        </p>
      )}
    </>
  );
}
