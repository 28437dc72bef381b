/** A navigation ends within 30 s and the time of a probe. One that has no end after twice that never ends. */
const deadEndMs = 60_000;
/** A timer that is later than this has slept with its tab, and so have those that end navigations. */
const lateMs = 5_000;

export interface NavigationBook {
  begin(id: number, entry: object): void;
  end(id: number, kind: string): void;
  /** The document is left or closed. */
  leave(): void;
  /** Returns what was not sent yet, as a list for a statement. The server enters it in its own hour. */
  take(): object[];
}

/**
 * The navigations of a document: how they ended, and those that did not. Both sides are sent together, so that a report
 * that is lost or arrives twice makes no difference.
 */
export function openNavigationBook(now: () => number): NavigationBook {
  // One navigation ends before the next one begins.
  let begun: { id: number; entry: object } | undefined;
  let ends: Record<string, number> = {};
  let open: object[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = (id: number, kind: string): void => {
    if (begun?.id !== id) return;
    begun = undefined;
    ends[kind] = (ends[kind] ?? 0) + 1;
  };
  const lose = (): void => {
    if (begun) open.push(begun.entry);
    begun = undefined;
  };
  const watch = (): void => {
    const dueMs = now() + deadEndMs;
    clearTimeout(timer);
    timer = setTimeout(() => (now() - dueMs > lateMs ? watch() : lose()), deadEndMs);
  };
  return {
    begin(id, entry) {
      lose();
      begun = { id, entry };
      watch();
    },
    end,
    leave() {
      if (begun) end(begun.id, "left");
    },
    take() {
      const tally = { book: "navigations", hour: 0, ends, open };
      const isEmpty = !open.length && !Object.keys(ends).length;
      ends = {};
      open = [];
      return isEmpty ? [] : [tally];
    },
  };
}
