const keys: readonly (readonly [key: string, does: string])[] = [
  ["/", "to the box that takes anything (also Ctrl+K)"],
  ["j k", "next and previous row; in an issue, the next and previous one of its list"],
  ["x", "choose the row"],
  ["J K", "with Shift: choose rows on the way, or up to a clicked box"],
  ["o", "open the row"],
  ["e", "resolve"],
  ["m", "mute"],
  ["u", "reopen"],
  ["a", "assign to me"],
  [",", "more actions; each of them has its key in the menu"],
  ["z", "undo"],
  [".", "show what has come in"],
  ["[ ]", "older and newer event"],
  ["c", "copy the event for a colleague"],
  ["f", "filter a trace, find in a stack"],
  ["← →", "fold and unfold a row of a trace"],
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
