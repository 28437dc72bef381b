import { useState, useSyncExternalStore } from "react";

/** The code of one occurrence of an error, to be read aloud, copied, and looked up. */
export function Digest({ code }: { code: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <p>
      <span className="muted small">Digest</span>
      <br />
      <span className="digest">{code}</span>{" "}
      {useScripts() && (
        <button
          type="button"
          className="button"
          onClick={() => void navigator.clipboard?.writeText(code).then(() => setCopied(true))}
        >
          {copied ? "Copied" : "Copy"}
        </button>
      )}
    </p>
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
