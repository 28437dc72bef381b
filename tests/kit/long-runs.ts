/** Whether this is a run of `npm run test:long`, which has more cases of each rule. */
export const isLong = process.env.HOLDFAST_TEST_LONG !== undefined;

/** More cases of a rule of which `npm test` has one. */
export function inLongRuns<const Case>(...cases: Case[]): Case[] {
  return isLong ? cases : [];
}
