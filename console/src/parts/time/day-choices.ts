/** Counters by the hour make up to two days of a chart, those by the day the rest; 90 days are kept. */
export const dayChoices: readonly number[] = [1, 7, 14, 30, 90];
export const usualDays = 1;
/** An issue is looked at when it is a few days old, too. */
export const usualDaysOfIssue = 14;
