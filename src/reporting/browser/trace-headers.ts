/** Headers that carry the trace of a request. */
export function traceHeaders(traceId: string, spanId: string, sampled: boolean, rate: number): Record<string, string> {
  const context = sampled ? "1" : "0";
  return {
    "sentry-trace": `${traceId}-${spanId}-${context}`,
    traceparent: `00-${traceId}-${spanId}-0${context}`,
    baggage: `sentry-trace_id=${traceId},sentry-sampled=${sampled},sentry-sample_rate=${rate}`,
  };
}
