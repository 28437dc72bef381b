/** Hourly counters cover up to two days of a chart, daily ones the rest. 90 days are kept. */
export const dayChoices: readonly number[] = [1, 7, 14, 30, 90];
export const mostDays = 90;
export const usualDays = 1;
/** An issue is also opened when it is a few days old. */
export const usualDaysOfIssue = 14;
/** A change is seen beside what was before it. */
export const usualDaysOfTrend = 14;
