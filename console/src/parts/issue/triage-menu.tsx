import type { FormState } from "holdfast";

/** Field, label, text and action of the button, and default value. */
const questions = [
  ["release", "Fixed in release", "Resolve", "resolve-in"],
  ["hours", "Mute for hours", "Mute", "mute-for", "24"],
  ["events", "Mute until so many more events", "Mute", "mute-events", "100"],
  ["visitors", "Mute until so many more visitors", "Mute", "mute-visitors", "10"],
  ["to", "Assign to (empty for nobody)", "Assign", "assign"],
  ["into", "Merge into (link or #number)", "Merge", "merge"],
] as const;

interface TriageMenuProps {
  form: FormState;
  releases: readonly string[];
  people: readonly string[];
}

/** Actions that need input. Open if an input was invalid. */
export function TriageMenu({ form, releases, people }: TriageMenuProps) {
  const known: Readonly<Record<string, readonly string[]>> = { release: releases, to: people };
  return (
    <details className="menu" open={questions.some(([name]) => form.error(name) !== undefined)}>
      <summary className="button">More</summary>
      <ul>
        {questions.map(([name, label, button, does, usual]) => (
          <Ask key={name} {...{ form, name, label, button, does, usual }} known={known[name]} />
        ))}
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
 * Enter in a field presses the first button of the form, which may be an unrelated action. A disabled first button
 * absorbs it. Place it at the start of a form with several buttons.
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
  usual: string | undefined;
  known: readonly string[] | undefined;
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
