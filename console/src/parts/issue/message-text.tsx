/** A message in parts, of which every second is a variable one. Of a long one, the end is kept when it is cut. */
export interface ShownMessage {
  head: readonly string[];
  tail: readonly string[];
}

/** Title of an issue: the type first, then the newest message with its variable parts marked. */
export function IssueTitle({ type, message }: { type: string | undefined; message: ShownMessage }) {
  return (
    <>
      <span>
        {type !== undefined && (
          <>
            {/* Rows keep white space, so a message alone must not begin with it. */}
            <b>{type}</b>{" "}
          </>
        )}
        <Parts of={message.head} />
      </span>
      <span>
        <Parts of={message.tail} />
      </span>
    </>
  );
}

/** Parts may be equal, and do not change: their place is the key. */
function Parts({ of }: { of: readonly string[] }) {
  return of.map((part, place) => (place % 2 ? <mark key={String(place)}>{part}</mark> : part));
}
