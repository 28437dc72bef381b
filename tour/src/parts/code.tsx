import "./code.css";

/** Kind and text; the kind is empty for what has none. */
export type CodePiece = readonly [kind: string, text: string];
export type CodeLine = readonly CodePiece[];

/** Code with its name above it. Coloured on the server, so that no highlighter travels to the browser. */
export function Code({ lines, name }: { lines: readonly CodeLine[]; name?: string | undefined }) {
  return (
    <figure className="code">
      {name !== undefined && <figcaption>{name}</figcaption>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll sideways, and a keyboard must be able to scroll them */}
      <pre tabIndex={0}>
        <code>
          {lines.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name and never change places
            <span key={index} className="line">
              {line.map(([kind, text], at) =>
                kind === "" ? (
                  text
                ) : (
                  // biome-ignore lint/suspicious/noArrayIndexKey: as above
                  <span key={at} className={kind}>
                    {text}
                  </span>
                ),
              )}
              {"\n"}
            </span>
          ))}
        </code>
      </pre>
    </figure>
  );
}
