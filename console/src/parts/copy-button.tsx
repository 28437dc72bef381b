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
      const copying = from === undefined ? (text ?? "") : await textOf(from);
      setCopied((await put(copying)) ? "yes" : "failed");
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

async function textOf(address: string): Promise<string> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} answered ${response.status}.`);
  return response.text();
}

async function put(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return putSelected(text);
  }
}

/** Browsers have no other way where the permission is denied, and in plain HTTP. */
function putSelected(text: string): boolean {
  const pressed = document.activeElement;
  const area = Object.assign(document.createElement("textarea"), { value: text, readOnly: true });
  area.style.cssText = "position:fixed;inset:0 auto auto 0;opacity:0";
  (pressed?.parentElement ?? document.body).append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  if (pressed instanceof HTMLElement) pressed.focus();
  return isCopied;
}
