import { messageOf } from "#errors";
import { checkStore, type StoreCheck } from "#service";
import type { DoctorFinding } from "./finding.ts";

/** Options of the store check. */
export interface StoreExamination {
  /** Checks every event and every index, however long it takes. */
  thorough: boolean;
  /** Milliseconds of a monotonic clock. */
  now: () => number;
  /** Called with the progress every few seconds. */
  progress: (sentence: string) => void;
}

/**
 * Time limit unless `thorough` is set: about 60,000 events of 3 kB when measured, newest first. A store of 20 GiB would
 * take minutes.
 */
export const usualMs = 10_000;
const progressMs = 5_000;

/** Unpacks each event and compares it with its checksum. */
export async function storeFinding(
  folder: string,
  { thorough, now, progress }: StoreExamination,
  address?: string,
): Promise<DoctorFinding> {
  const about = "Store";
  const startedMs = now();
  let reportedAt = startedMs;
  try {
    const goOn: Parameters<typeof checkStore>[2] = ({ events, of }) => {
      const at = now();
      if (thorough && at - reportedAt >= progressMs) {
        reportedAt = at;
        progress(`${counted(events)} of ${counted(of)} events looked at.`);
      }
      return thorough || at - startedMs < usualMs;
    };
    const check = await checkStore(folder, thorough ? "thorough" : "bodies", goOn, address);
    return check.kind === "absent" ? { kind: "good", about, message: "nothing is kept yet" } : judged(check);
  } catch (error) {
    return { kind: "bad", about, message: messageOf(error) };
  }
}

function judged({ findings, events, weeks, bytes }: Extract<StoreCheck, { kind: "checked" }>): DoctorFinding {
  const about = "Store";
  const isWhole = events.read === events.of;
  const checked = isWhole
    ? `all ${counted(events.of)} events`
    : `${counted(events.read)} of ${counted(events.of)} events`;
  const rest = isWhole ? "" : " Look at the others with --thorough.";
  if (findings.length > 0)
    return { kind: "bad", about, message: `${findings.join(" ")} Looked at: ${checked}.${rest}` };
  const size = `${weeks} ${weeks === 1 ? "week" : "weeks"}, ${(bytes / 1e6).toFixed(1)} MB`;
  return { kind: "good", about, message: `${size}, no damage found in ${checked}.${rest}` };
}

function counted(number: number): string {
  return number.toLocaleString("en");
}
