import { draftsKey as key } from "../../drafts-key.ts";
import type { DraftStorage } from "./draft-store.ts";

/** The tab's `sessionStorage`. If it is denied or full, drafts last as long as the document. */
export const draftStorage: DraftStorage = {
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
      // Drafts are still in memory.
    }
  },
};

/** Erases all drafts, because another user may be signed in. Works without the code that keeps drafts. */
export function forgetDrafts(): void {
  draftStorage.write("[]");
}
