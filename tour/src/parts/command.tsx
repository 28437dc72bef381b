import "./command.css";
import { Copy } from "./copy.tsx";

/** A line for a terminal, to be read or copied. */
export function Command({ text }: { text: string }) {
  return (
    <p className="command">
      <code>{text}</code>
      <Copy text={text} what="the command" className="copy" />
    </p>
  );
}
