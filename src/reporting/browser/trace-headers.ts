/** What a request says of the trace it belongs to. */
export function traceHeaders(traceId: string, spanId: string, sampled: boolean, rate: number): Record<string, string> {
  const told = sampled ? "1" : "0";
  return {
    "sentry-trace": `${traceId}-${spanId}-${told}`,
    traceparent: `00-${traceId}-${spanId}-0${told}`,
    baggage: `sentry-trace_id=${traceId},sentry-sampled=${sampled},sentry-sample_rate=${rate}`,
  };
}
