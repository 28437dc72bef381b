import { type ActionRef, Form } from "holdfast";
import { Said } from "../settings/said.tsx";
import { TimeAgo } from "../time/time-ago.tsx";

interface Filter {
  id: string;
  kind: string;
  pattern: string;
  dropped: number;
  lastAt: number | undefined;
  example: string | undefined;
}

interface FiltersProps {
  filters: readonly Filter[];
  now: number;
  /** Only for owners. */
  actions: { add: ActionRef; remove: ActionRef } | undefined;
}

const kinds: readonly (readonly [kind: string, words: string])[] = [
  ["message", "Message or exception"],
  ["release", "Release"],
  ["environment", "Environment"],
  ["browser", "Browser"],
  ["address", "Address or network"],
  ["crawler", "Crawlers"],
];

/** Reports that are dropped before they are kept, and the form for a new filter. */
export function Filters({ filters, now, actions }: FiltersProps) {
  return (
    <section aria-labelledby="filters">
      <h2 id="filters">What is not wanted</h2>
      <p>
        Errors and transactions that a filter matches are dropped before they are kept, and counted. In patterns{" "}
        <code>*</code> stands for any text; a browser may have a bound, such as <code>Chrome &lt; 80</code>. From an
        address everything is dropped, except feedback.
      </p>
      {filters.length === 0 ? (
        <p className="notice">Everything is wanted.</p>
      ) : (
        <ul className="plain setting-rows">
          {filters.map((filter) => (
            <li key={filter.id}>
              <OneFilter filter={filter} now={now} remove={actions?.remove} />
            </li>
          ))}
        </ul>
      )}
      {actions && (
        <>
          {/* A removed row disappears, so its result is shown below. */}
          <Form action={actions.remove} of="row">
            {(form) => <Said form={form} />}
          </Form>
          <NewFilter action={actions.add} />
        </>
      )}
    </section>
  );
}

function OneFilter({ filter, now, remove }: { filter: Filter; now: number; remove: ActionRef | undefined }) {
  const { id, kind, pattern, dropped, lastAt, example } = filter;
  const words = kinds.find(([one]) => one === kind)?.[1] ?? kind;
  return (
    <>
      <h3 className="breaks">
        {words} {pattern !== "" && <code>{pattern}</code>}
      </h3>
      <p className="second">
        {dropped.toLocaleString("en")} dropped
        {lastAt !== undefined && (
          <>
            , last <TimeAgo at={lastAt} now={now} />
          </>
        )}
        .
      </p>
      {example !== undefined && <p className="second breaks">Example: {example}</p>}
      {remove && (
        <Form action={remove} of="row" notices={false} className="at-end">
          <input type="hidden" name="id" value={id} />
          <button type="submit" aria-label={`Remove the filter ${words} ${pattern}`}>
            Remove
          </button>
        </Form>
      )}
    </>
  );
}

function NewFilter({ action }: { action: ActionRef }) {
  return (
    <Form action={action}>
      {(form) => (
        <>
          <div className="asks">
            <label>
              Drop by
              <select name="kind" defaultValue="message">
                {kinds.map(([kind, words]) => (
                  <option key={kind} value={kind}>
                    {words}
                  </option>
                ))}
              </select>
              <span {...form.error("kind")} className="problem" />
            </label>
            <label>
              What it matches
              <input {...form.field("pattern")} maxLength={200} placeholder="*ResizeObserver loop*" />
              <span {...form.error("pattern")} className="problem" />
            </label>
            <button type="submit">Add a filter</button>
          </div>
          <Said form={form} />
        </>
      )}
    </Form>
  );
}
