import { type CanonicalPath, canonicalPath } from "./canonical-path.ts";
import { spellAddress } from "./trailing-slash.ts";

export type SlashedPath = CanonicalPath & {
  /** The path as it was sent, with or without a slash at its end. */
  address: string;
};

/** As `canonicalPath`, for an address that may end with a slash: `path` never does. */
export function canonicalSlashed(target: string): SlashedPath {
  const [sent = ""] = target.split("?", 1);
  const bare = sent.replace(/([^/])\/$/, "$1");
  const read = canonicalPath(bare + target.slice(sent.length));
  if (read.kind === "redirect") return { ...read, to: spellAddress(read.to), address: sent };
  if (read.kind === "canonical" && bare !== sent && sent.includes("/_"))
    return { kind: "redirect", to: spellAddress(read.path + read.search), address: sent };
  return { ...read, address: sent };
}
