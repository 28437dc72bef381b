/** Minutes from UTC at one moment. */
export interface ZoneOffset {
  at: number;
  minutes: number;
}

/** The offsets of a zone in January and in July of a year: two, because most zones with summer time differ then. */
export function seasonsOf(timeZone: string, year: number): ZoneOffset[] {
  const format = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" });
  return [0, 6].map((month) => {
    const at = Date.UTC(year, month, 1);
    // "GMT-03:30", or "GMT" alone.
    const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(format.format(at)) ?? [];
    return { at, minutes: (sign === "-" ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) };
  });
}
