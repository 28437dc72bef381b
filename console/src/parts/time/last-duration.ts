/** Of the last run that has ended: not every client sends a duration with its last check-in. */
export function lastDuration(runs: readonly { readonly durationMs?: number | undefined }[]): number | undefined {
  return runs.findLast(({ durationMs }) => durationMs !== undefined)?.durationMs;
}
