import { useState } from "react";
import { useAlive } from "./alive.ts";

interface CopyButtonProps {
  text?: string;
  /** An address whose answer is copied. */
  from?: string;
  /** A key that presses it. */
  pressedBy?: string;
  children: string;
}

/** Copies a text, or what an address answers. Not seen without scripts: what it copies stands beside it anyway. */
export function CopyButton({ text, from, pressedBy, children }: CopyButtonProps) {
  const alive = useAlive();
  const [copied, setCopied] = useState<"no" | "yes" | "failed">("no");
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
    <button
      type="button"
      className={alive ? "quiet" : "quiet waiting"}
      data-key={pressedBy}
      onClick={() => void copy()}
    >
      {copied === "yes" ? "Copied" : copied === "failed" ? "Not copied" : children}{" "}
      {pressedBy && <kbd>{pressedBy}</kbd>}
    </button>
  );
}
