import { Fragment } from "react";
import { ReleaseLink } from "../release/release-link.tsx";
import { Bars, type BarsProps } from "./bars.tsx";
import { short } from "./numbers.ts";

interface ChartProps extends Omit<BarsProps, "height"> {
  days: number;
  /** Project of the marked releases. */
  project: string;
}

/** Bars with their legend: start and end, the height of the tallest, and the names of the marks. */
export function Chart({ days, project, ...bars }: ChartProps) {
  const { values, marks = [] } = bars;
  return (
    <figure className="chart">
      <Bars {...bars} height={72} />
      <figcaption>
        <span>{days === 1 ? "24 h ago" : `${days} d ago`}</span>
        <span>
          at most {short(Math.max(0, ...values))} {days <= 2 ? "an hour" : "a day"}
        </span>
        <span>now</span>
      </figcaption>
      {marks.length > 0 && (
        <p className="second">
          <span className="dashed">┆</span> first seen:{" "}
          {marks
            .toSorted((a, b) => a.at - b.at)
            .map(({ name }, index) => (
              <Fragment key={name}>
                {index > 0 && ", "}
                <ReleaseLink project={project} name={name} />
              </Fragment>
            ))}
        </p>
      )}
    </figure>
  );
}
