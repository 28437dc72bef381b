import { useEffect, useState } from "react";

interface Weight {
  firstByteMs: number;
  requests: number;
  bytes: number;
}

/** Cost of the first document of this visit, measured by the visitor's browser. */
export function ThisPage() {
  const [weight, setWeight] = useState<Weight>();
  useEffect(() => setWeight(weigh()), []);
  if (!weight) return null;
  return (
    <p className="this-page">
      Measured just now in your browser: the first byte of this document came after{" "}
      <strong>{Math.round(weight.firstByteMs)} ms</strong>, and everything the page is made of is{" "}
      <strong>{Math.round(weight.bytes / 1000)} kB</strong> in <strong>{weight.requests}</strong> files.
    </p>
  );
}

/** Sizes on the wire, even if the browser had the files cached. */
function weigh(): Weight | undefined {
  const [document] = performance.getEntriesByType("navigation");
  const files = performance
    .getEntriesByType("resource")
    .filter((entry): entry is PerformanceResourceTiming => entry instanceof PerformanceResourceTiming)
    .filter(({ name }) => new URL(name).pathname.startsWith("/_assets/"));
  if (!(document instanceof PerformanceNavigationTiming)) return undefined;
  return {
    firstByteMs: document.responseStart - document.requestStart,
    requests: files.length + 1,
    bytes: files.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, document.encodedBodySize),
  };
}
