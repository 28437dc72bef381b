import { useState } from "react";
import { useAlive } from "./alive.ts";

/** Copies a text, or what an address answers. Not there without scripts: what it copies stands beside it anyway. */
export function CopyButton({ text, from, children }: { text?: string; from?: string; children: string }) {
  const alive = useAlive();
  const [copied, setCopied] = useState<"no" | "yes" | "failed">("no");
  if (!alive) return null;
  const copy = async (): Promise<void> => {
    try {
      const copying = from === undefined ? (text ?? "") : await (await fetch(from)).text();
      await navigator.clipboard.writeText(copying);
      setCopied("yes");
    } catch {
      setCopied("failed");
    }
  };
  return (
    <button type="button" className="quiet" onClick={() => void copy()}>
      {copied === "yes" ? "Copied" : copied === "failed" ? "Not copied" : children}
    </button>
  );
}
