import "./command.css";
import { Copy } from "./copy.tsx";

/** A terminal command with a copy button. */
export function Command({ text }: { text: string }) {
  return (
    <p className="command">
      <code>{text}</code>
      <Copy text={text} what="Copy the command" className="copy" />
    </p>
  );
}
