import { useState } from "react";
import { useAlive } from "./alive.ts";

interface CopyButtonProps {
  text?: string;
  /** Address whose response is copied. */
  from?: string;
  /** Key that presses it. */
  pressedBy?: string;
  /** Whether it looks like a button. Others look like a link. */
  isMain?: boolean;
  children: string;
}

/** Copies a text, or the response of an address. Hidden without scripts: the text is beside it anyway. */
export function CopyButton({ text, from, pressedBy, isMain, children }: CopyButtonProps) {
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
      className={`${isMain ? "" : "quiet "}${alive ? "" : "waiting"}`}
      data-key={pressedBy}
      onClick={() => void copy()}
    >
      {copied === "yes" ? "Copied" : copied === "failed" ? "Not copied" : children}{" "}
      {pressedBy && <kbd>{pressedBy}</kbd>}
    </button>
  );
}
