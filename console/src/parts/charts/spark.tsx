interface SparkProps {
  line: { before: string; since: string; isWorse: boolean; area: string };
}

/** A small line beside the number that says the same. It is red since something is worse. */
export function Spark({ line: { before, since, isWorse, area } }: SparkProps) {
  return (
    <svg className="spark-line" viewBox="0 -4 1000 108" preserveAspectRatio="none" aria-hidden="true">
      <path className="area" d={area} />
      <path d={before} />
      <path className={isWorse ? "worse" : undefined} d={since} />
    </svg>
  );
}
