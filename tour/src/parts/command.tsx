import "./command.css";
import { useState } from "react";
import { useScripts } from "./digest.tsx";

/** A line for a terminal, to be read or copied. */
export function Command({ text }: { text: string }) {
  const [copied, setCopied] = useState(false);
  const scripts = useScripts();
  return (
    <p className="command">
      <code>{text}</code>
      {scripts && (
        <button
          type="button"
          aria-label={`Copy ${text}`}
          onClick={() => void navigator.clipboard?.writeText(text).then(() => setCopied(true))}
        >
          {copied ? "Copied" : "Copy"}
        </button>
      )}
    </p>
  );
}
