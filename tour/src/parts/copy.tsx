import { useState, useSyncExternalStore } from "react";

/** Copies a text. Rendered only when scripts run, because it needs them. */
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

/** True once scripts run, for buttons that need them. */
export function useScripts(): boolean {
  return useSyncExternalStore(
    () => () => undefined,
    () => true,
    () => false,
  );
}
