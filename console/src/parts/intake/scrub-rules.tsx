import { type ActionRef, Form, type FormState } from "holdfast";
import { Said } from "../settings/said.tsx";

interface ScrubRulesProps {
  rules: readonly { id: string; path: string; expression: string }[];
  trial: ActionRef;
  /** Only for owners. */
  actions: { addRule: ActionRef; removeRule: ActionRef } | undefined;
}

interface Tried {
  tried: number;
  path: string;
  expression: string;
  events: readonly {
    eventId: string;
    title: string;
    changes: readonly { path: string; before: string; after: string }[];
  }[];
}

/** What is taken out of reports by path or expression, and a trial on the newest events. */
export function ScrubRules({ rules, trial, actions }: ScrubRulesProps) {
  return (
    <section aria-labelledby="scrub-rules">
      <h2 id="scrub-rules">What is taken out</h2>
      <p>
        Beside passwords, tokens and the like. A path such as <code>request.headers.x-*</code>,{" "}
        <code>contexts.user.*</code> or <code>extra.**</code> takes whole values out; an expression such as{" "}
        <code>KD-\d{"{6}"}</code> takes its matches out of texts, everywhere or at a path. Attached texts and JSON files
        are included; pictures are kept as they came.
      </p>
      {rules.length > 0 && (
        <ul className="plain setting-rows">
          {rules.map(({ id, path, expression }) => (
            <li key={id}>
              <h3 className="breaks">
                {expression !== "" && <code>{expression}</code>} {path === "" ? "everywhere" : <code>{path}</code>}
              </h3>
              {actions && (
                <Form action={actions.removeRule} of="rule" notices={false} className="at-end">
                  <input type="hidden" name="id" value={id} />
                  <button type="submit" aria-label={`Remove the rule ${expression} ${path}`}>
                    Remove
                  </button>
                </Form>
              )}
            </li>
          ))}
        </ul>
      )}
      {actions && (
        <>
          <Form action={actions.removeRule} of="rule">
            {(form) => <Said form={form} />}
          </Form>
          <Form action={actions.addRule}>
            {(form) => (
              <>
                <Fields form={form} submit="Take it out" />
                <Said form={form} />
              </>
            )}
          </Form>
        </>
      )}
      <Form action={trial}>
        {(form) => {
          const tried = triedIn(form.result);
          return (
            <details className="group" open={tried !== undefined}>
              <summary>Try it on the newest events</summary>
              <Fields form={form} tried={tried} submit="What would be taken out?" />
              <div role="status">{tried && <Result tried={tried} />}</div>
            </details>
          );
        }}
      </Form>
    </section>
  );
}

function Fields({ form, tried, submit }: { form: FormState; tried?: Tried | undefined; submit: string }) {
  return (
    <div className="asks">
      <label>
        Path
        <input {...form.field("path")} defaultValue={tried?.path ?? ""} maxLength={200} placeholder="everywhere" />
        <span {...form.error("path")} className="problem" />
      </label>
      <label>
        Expression
        <input
          {...form.field("expression")}
          defaultValue={tried?.expression ?? ""}
          maxLength={200}
          placeholder="the whole value"
        />
        <span {...form.error("expression")} className="problem" />
      </label>
      <button type="submit">{submit}</button>
    </div>
  );
}

function Result({ tried: { tried, events } }: { tried: Tried }) {
  return (
    <>
      <p>
        {events.length} of the newest {tried} events would change.
      </p>
      {events.length > 0 && (
        <ul className="plain setting-rows">
          {events.map(({ eventId, title, changes }) => (
            <li key={eventId}>
              <h3 className="breaks">{title}</h3>
              {changes.map(({ path, before, after }, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: entries of a list have one path, and rows never move
                <p key={`${path} ${index}`} className="breaks">
                  <code>{path}</code>: <del>{before}</del> → <ins>{after}</ins>
                </p>
              ))}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function triedIn(result: unknown): Tried | undefined {
  return typeof result === "object" && result !== null && "tried" in result ? (result as Tried) : undefined;
}
