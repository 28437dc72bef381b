import { debugIdsByFile } from "../describe/debug-images.ts";
import type { ScriptOwners } from "../filters/judge-event.ts";

/** Whose script a file of this document is. */
export const scriptOwners: ScriptOwners = {
  // Workers that a page creates from blobs are its own, too.
  isOwnFile: (file) => file.replace("blob:", "").startsWith(`${location.origin}/`) || debugIdsByFile().has(file),
  vendorOf: (file) => {
    const host = /^https?:..([\w.:-]+)/.exec(file)?.[1];
    // `<Script>` marks the elements that it inserts.
    return document.querySelector(`[data-vendor="${host}"]`) ? host : undefined;
  },
};
