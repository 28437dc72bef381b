import { checkStore, type StoreCheck } from "#service";
import type { DoctorFinding } from "./finding.ts";
import { messageOf } from "./message-of.ts";

/** How long what is kept is looked at. */
export interface StoreExamination {
  /** Every event and every index, however long it takes. */
  thorough: boolean;
  /** Milliseconds on a clock that only goes forward. */
  now: () => number;
  /** Told every few seconds how far it has come. */
  progress: (sentence: string) => void;
}

/**
 * Unless all of it is asked for: some 60,000 events of 3 kB where it was measured, the newest first. Who calls a doctor
 * waits that long; a store of 20 GiB would take minutes.
 */
export const usualMs = 10_000;
const progressMs = 5_000;

/** Every event that is looked at is unpacked and compared with its checksum. */
export function storeFinding(folder: string, { thorough, now, progress }: StoreExamination): DoctorFinding {
  const about = "Store";
  const begun = now();
  let toldAt = begun;
  try {
    const check = checkStore(folder, thorough ? "thorough" : "bodies", ({ events, of }) => {
      const at = now();
      if (thorough && at - toldAt >= progressMs) {
        toldAt = at;
        progress(`${counted(events)} of ${counted(of)} events looked at.`);
      }
      return thorough || at - begun < usualMs;
    });
    return check.kind === "absent" ? { kind: "good", about, says: "nothing is kept yet" } : judged(check);
  } catch (error) {
    return { kind: "bad", about, says: messageOf(error) };
  }
}

function judged({ findings, events, weeks, bytes }: Extract<StoreCheck, { kind: "checked" }>): DoctorFinding {
  const about = "Store";
  const isWhole = events.looked === events.of;
  const looked = isWhole
    ? `all ${counted(events.of)} events`
    : `${counted(events.looked)} of ${counted(events.of)} events`;
  const rest = isWhole ? "" : " Look at the others with --thorough.";
  if (findings.length > 0) return { kind: "bad", about, says: `${findings.join(" ")} Looked at: ${looked}.${rest}` };
  const size = `${weeks} ${weeks === 1 ? "week" : "weeks"}, ${(bytes / 1e6).toFixed(1)} MB`;
  return { kind: "good", about, says: `${size}, no damage found in ${looked}.${rest}` };
}

function counted(number: number): string {
  return number.toLocaleString("en");
}
