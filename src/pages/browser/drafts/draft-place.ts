import type { DraftPlace } from "./draft-store.ts";

const key = "holdfast-drafts";

/** The tab's storage; where that is denied or full, drafts last as long as the document. */
export const draftPlace: DraftPlace = {
  read() {
    try {
      return sessionStorage.getItem(key);
    } catch {
      return null;
    }
  },
  write(text) {
    try {
      sessionStorage.setItem(key, text);
    } catch {
      // They are in memory.
    }
  },
};

/**
 * Another user may be signed in: nothing that was typed before is put back. Works without the code that keeps drafts.
 */
export function forgetDrafts(): void {
  draftPlace.write("[]");
}
