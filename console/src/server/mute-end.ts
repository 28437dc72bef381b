const hourMs = 3_600_000;
/** The last moment that a date can have. */
export const forEver = 8_640_000_000_000_000;
/** On Monday, people are back at this hour. */
const mondayHour = 8;

export interface MuteContext {
  readonly now: number;
  readonly before: number | undefined;
  /** Undefined: Monday begins as in UTC. */
  readonly timeZone: string | undefined;
}

/** When a mute ends. Undefined if the rule is not muted. */
export function muteEnd(wish: string, { now, before, timeZone = "UTC" }: MuteContext): number | undefined {
  switch (wish) {
    case "hour":
      return now + hourMs;
    case "eight-hours":
      return now + 8 * hourMs;
    case "monday":
      return nextMonday(now, timeZone);
    case "for-ever":
      return forEver;
    case "keep":
      return before;
    default:
      return undefined;
  }
}

/** Time zones differ from each other by quarters of an hour. */
function nextMonday(now: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat("en", { weekday: "short", hour: "numeric", hourCycle: "h23", timeZone });
  const quarter = hourMs / 4;
  let at = Math.ceil((now + 1) / quarter) * quarter;
  const isThere = (): boolean => {
    const parts = format.formatToParts(at);
    const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? "";
    return part("weekday") === "Mon" && Number(part("hour")) === mondayHour;
  };
  for (let quarters = 0; !isThere() && quarters < 8 * 96; quarters += 1) at += quarter;
  return at;
}
