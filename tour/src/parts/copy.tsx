import { useState, useSyncExternalStore } from "react";

/** Copies a text. There only once scripts run, because it is of no use before. */
export function Copy({ text, what, className }: { text: string; what: string; className: string }) {
  const [copied, setCopied] = useState(false);
  if (!useScripts()) return null;
  return (
    <button
      type="button"
      className={className}
      aria-label={`Copy ${what}`}
      onClick={() => void navigator.clipboard?.writeText(text).then(() => setCopied(true))}
    >
      {copied ? "Copied" : "Copy"}
    </button>
  );
}

/** True once scripts run: a button that needs them must not stand there before. */
export function useScripts(): boolean {
  return useSyncExternalStore(
    () => () => undefined,
    () => true,
    () => false,
  );
}
