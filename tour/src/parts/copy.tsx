import { useState, useSyncExternalStore } from "react";

interface CopyProps {
  text: string;
  /** What the button is called: "Copy the digest". */
  what: string;
  className: string;
  words?: Readonly<Record<"copy" | "copied", string>>;
}

const english = { copy: "Copy", copied: "Copied" };

/** Copies a text. Rendered only when scripts run, because it needs them. */
export function Copy({ text, what, className, words = english }: CopyProps) {
  const [copied, setCopied] = useState(false);
  if (!useScripts()) return null;
  return (
    <button
      type="button"
      className={className}
      aria-label={what}
      onClick={() => void navigator.clipboard?.writeText(text).then(() => setCopied(true))}
    >
      {copied ? words.copied : words.copy}
    </button>
  );
}

/** True once scripts run, for buttons that need them. */
export function useScripts(): boolean {
  return useSyncExternalStore(
    () => () => undefined,
    () => true,
    () => false,
  );
}
