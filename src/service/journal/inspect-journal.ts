import { existsSync } from "node:fs";
import { join } from "node:path";
import { folderDisk } from "./disk.ts";
import { type JournalSegment, listSegments, readJournalSegment } from "./segments.ts";

export interface JournalFindings {
  /** End of the last complete record. */
  readonly end: number;
  /**
   * Segments with bytes that belong to no record. The unfinished end of the last segment is no damage: the next start
   * cuts it off.
   */
  readonly damaged: readonly { file: string; bytes: number }[];
}

const windowBytes = 8_388_608;

/** Reads the whole journal once and changes nothing. */
export function inspectJournal(folder: string): JournalFindings {
  if (!existsSync(folder)) return { end: 0, damaged: [] };
  const disk = folderDisk(folder);
  const segments = listSegments(disk);
  const readings = segments.map((segment) => ({ segment, ...inspectSegment(segment) }));
  return {
    end: readings.at(-1)?.end ?? 0,
    damaged: readings.flatMap(({ segment, damagedInside, damagedAtEnd }) => {
      const bytes = segment === segments.at(-1) ? damagedInside : damagedInside + damagedAtEnd;
      return bytes === 0 ? [] : [{ file: join(folder, segment.name), bytes }];
    }),
  };

  function inspectSegment(segment: JournalSegment): { end: number; damagedInside: number; damagedAtEnd: number } {
    const file = disk.openToRead(segment.name);
    try {
      const fileEnd = segment.start + file.size();
      let [end, damagedInside, damagedAtEnd] = [segment.start, 0, 0];
      for (let at = segment.start; at < fileEnd; ) {
        const part = readJournalSegment(file, segment, { from: at, until: fileEnd, maxBytes: windowBytes });
        const last = part.records.at(-1)?.next;
        // Bytes after the last record of this part may still be the unfinished end.
        if (last === undefined) damagedAtEnd += part.damagedBytes;
        else {
          damagedInside += damagedAtEnd + part.damagedBytes - (part.next - last);
          damagedAtEnd = part.next - last;
          end = last;
        }
        at = part.next;
      }
      return { end, damagedInside, damagedAtEnd };
    } finally {
      file.close();
    }
  }
}
