import { type ActionRef, Form, type FormState } from "holdfast";
import { Said } from "./said.tsx";

interface Rules {
  alsoSecret: readonly string[];
  keepAddresses: boolean;
}

/** Result of the trial action. */
interface Tried {
  left: string;
  sample: string;
  scrub: Rules;
}

const sample = `{"card_number": "4111 1111 1111 1111", "token": "abc", "pin": 1234, "url": "https://shop.example/?session=7&page=2"}`;

/** Rules for removed secrets, and a form to try them. */
export function Scrubbing({ scrub, action, trial }: { scrub: Rules; action: ActionRef | undefined; trial: ActionRef }) {
  return (
    <section aria-labelledby="scrubbing">
      <h2 id="scrubbing">What is taken out</h2>
      <p>
        Passwords, tokens, cookies, keys, card numbers and the like are taken out by their names before anything is
        kept, and secrets inside texts by their shapes. Clients of Holdfast do not even send them.
      </p>
      {action && (
        <Form action={action}>
          {(form) => (
            <>
              <Fields form={form} scrub={scrub} />
              <button type="submit">Take these out</button>
              <Said form={form} />
            </>
          )}
        </Form>
      )}
      <Form action={trial}>{(form) => <Trial form={form} scrub={scrub} tried={triedIn(form.result)} />}</Form>
    </section>
  );
}

function Trial({ form, scrub, tried }: { form: FormState; scrub: Rules; tried: Tried | undefined }) {
  return (
    <details className="group" open={tried !== undefined}>
      <summary>Try it</summary>
      <p>Nothing of it is kept.</p>
      <div className="sheet wide-sheet">
        <label>
          Text or JSON
          <textarea name="sample" rows={5} maxLength={20_000} defaultValue={tried?.sample ?? sample} />
        </label>
        <Fields form={form} scrub={tried?.scrub ?? scrub} />
        <button type="submit">What would be left?</button>
      </div>
      <Left text={tried?.left} />
    </details>
  );
}

function Fields({ form, scrub }: { form: FormState; scrub: Rules }) {
  return (
    <div className="asks">
      <label>
        Also what is called (part of a name is enough)
        <input
          {...form.field("alsoSecret")}
          defaultValue={form.field("alsoSecret").defaultValue ?? scrub.alsoSecret.join(" ")}
          maxLength={4000}
          placeholder="pin customer_note"
        />
        <span {...form.error("alsoSecret")} className="problem" />
      </label>
      <label className="check">
        <input type="checkbox" name="keepAddresses" defaultChecked={scrub.keepAddresses} /> Keep addresses of visitors
      </label>
    </div>
  );
}

function Left({ text }: { text: string | undefined }) {
  return (
    <div role="status">
      {text !== undefined && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls long lines by focus
        <pre className="notice" tabIndex={0}>
          {text}
        </pre>
      )}
    </div>
  );
}

function triedIn(result: unknown): Tried | undefined {
  return typeof result === "object" && result !== null && "left" in result ? (result as Tried) : undefined;
}
