import type { ReactNode } from "react";

interface TrendProps {
  name: string;
  /** Of the whole period. */
  value: string;
  /** What the number is made of. */
  href: string;
  line: { before: string; since: string; isWorse: boolean; top: number };
  /** First sights of releases, as shares of the width. */
  marks: readonly { release: string; share: number }[];
  write: (n: number) => string;
  /** What the line says, in words. */
  children: ReactNode;
}

/** A line with release marks. It is grey as long as nothing is worse, and red since then. */
export function Trend({ name, value, href, line, marks, write, children }: TrendProps) {
  const { before, since, isWorse, top } = line;
  return (
    <section className="trend">
      <h2>
        {name}{" "}
        <a className="number" href={href}>
          {value}
        </a>
      </h2>
      <svg viewBox="0 -4 1000 108" preserveAspectRatio="none" role="img" aria-label={`${name}, at most ${write(top)}`}>
        {marks.map((mark) => (
          <line key={mark.release} x1={mark.share * 1_000} x2={mark.share * 1_000} y1={-4} y2={104}>
            <title>{mark.release}</title>
          </line>
        ))}
        <path d={before} />
        {since && <path d={since} className={isWorse ? "worse" : "better"} />}
      </svg>
      {children}
    </section>
  );
}
