import "./code.css";
import { Copy } from "./copy.tsx";

/** Kind and text; the kind may be empty. */
export type CodePiece = readonly [kind: string, text: string];

/** Code with its name above it. Highlighted on the server, so that the browser loads no highlighter. */
export function Code({ pieces, name }: { pieces: readonly CodePiece[]; name?: string | undefined }) {
  return (
    <figure className="code">
      {name !== undefined && <figcaption>{name}</figcaption>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll sideways, and a keyboard must be able to
          scroll them */}
      <pre tabIndex={0}>
        <code>
          {pieces.map(([kind, text], index) =>
            kind === "" ? (
              text
            ) : (
              <span key={String(index)} className={kind}>
                {text}
              </span>
            ),
          )}
        </code>
      </pre>
      <Copy text={pieces.map(([, text]) => text).join("")} what={`Copy ${name ?? "the code"}`} className="copy" />
    </figure>
  );
}
