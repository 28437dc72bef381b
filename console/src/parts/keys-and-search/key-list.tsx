const keys: readonly (readonly [key: string, does: string])[] = [
  ["/", "to the box that takes anything (also Ctrl+K)"],
  ["j k", "next and previous row"],
  ["x", "choose the row"],
  ["o", "open the row"],
  ["e", "resolve"],
  ["m", "mute"],
  ["u", "reopen"],
  ["a", "assign to me"],
  ["z", "undo"],
  [".", "show what has come in"],
  ["[ ]", "older and newer event"],
  ["c", "copy the event as Markdown"],
  ["f", "filter a trace"],
  ["+ -", "fill the axis with a span, and the whole trace again"],
  ["p", "pause Live"],
  ["?", "this list"],
];

export default function KeyList() {
  return (
    <dl className="pairs">
      {keys.map(([key, does]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  );
}
