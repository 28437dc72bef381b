import type { FormState } from "holdfast";

const asked = ["release", "hours", "events", "visitors", "to", "into"];

/** What needs a word more than a button has; open where a word was not understood. */
export function TriageMenu({
  form,
  releases,
  people,
}: {
  form: FormState;
  releases: readonly string[];
  people: readonly string[];
}) {
  return (
    <details className="menu" open={asked.some((name) => form.error(name) !== undefined)}>
      <summary className="button">More</summary>
      <ul>
        <Ask form={form} name="release" label="Fixed in release" does="resolve-in" button="Resolve" known={releases} />
        <Ask form={form} name="hours" label="Mute for hours" does="mute-for" button="Mute" usual="24" />
        <Ask
          form={form}
          name="events"
          label="Mute until so many more events"
          does="mute-events"
          button="Mute"
          usual="100"
        />
        <Ask
          form={form}
          name="visitors"
          label="Mute until so many more visitors"
          does="mute-visitors"
          button="Mute"
          usual="10"
        />
        <Ask form={form} name="to" label="Assign to (empty for nobody)" does="assign" button="Assign" known={people} />
        <Ask form={form} name="into" label="Merge into (link or #number)" does="merge" button="Merge" />
        <li>
          <button type="submit" name="do" value="split">
            Take merged issues out again
          </button>
        </li>
      </ul>
    </details>
  );
}

/**
 * Enter in a field would press the first button of the form, which may do something else altogether: a first button that can do nothing takes that press.
 * Belongs at the beginning of a form that has several buttons.
 */
export function NoDefaultButton() {
  return <button type="submit" disabled hidden />;
}

interface AskProps {
  form: FormState;
  name: string;
  label: string;
  does: string;
  button: string;
  usual?: string;
  known?: readonly string[];
}

function Ask({ form, name, label, does, button, usual, known = [] }: AskProps) {
  const { defaultValue = usual, ...field } = form.field(name);
  return (
    <li className="asks">
      <label>
        {label}
        <input
          {...field}
          defaultValue={defaultValue}
          inputMode={usual === undefined ? undefined : "numeric"}
          list={known.length > 0 ? `known-${name}` : undefined}
          autoComplete="off"
        />
        <span {...form.error(name)} className="problem" />
      </label>
      {known.length > 0 && (
        <datalist id={`known-${name}`}>
          {known.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
      <button type="submit" name="do" value={does}>
        {button}
      </button>
    </li>
  );
}
