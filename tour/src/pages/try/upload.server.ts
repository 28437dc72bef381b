import { createHash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { action, invalid, type UploadTarget } from "holdfast/server";

/** Reads a file while it arrives, and keeps nothing but its size and its checksum. */
const measured: UploadTarget = {
  write: async ({ stream }) => {
    const hash = createHash("sha256");
    let bytes = 0;
    for await (const piece of stream) {
      hash.update(piece);
      bytes += piece.length;
      // About 6 MB a second: on one machine the progress would not be seen.
      await wait(piece.length / 6_000);
    }
    return `${bytes} ${hash.digest("hex")}`;
  },
  discard: () => undefined,
};

export const actions = {
  measure: action({ uploads: measured, files: 1 }, ({ input }) => {
    const stored = input instanceof FormData ? input.get("file") : null;
    const [bytes, checksum] = String(stored ?? "").split(" ");
    if (!checksum || bytes === "0") return invalid({ file: "Choose a file." });
    return { bytes: Number(bytes), checksum };
  }),
};
