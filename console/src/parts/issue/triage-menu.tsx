import type { FormState } from "holdfast";
import type { KeyboardEvent } from "react";

/** Groups of the menu. Each question has its field, label, action, key, and default value. */
const groups = [
  ["Resolve", [["release", "Fixed in release", "resolve-in", "r"]]],
  [
    "Mute",
    [
      ["hours", "For hours", "mute-for", "h", "24"],
      ["events", "Until more events", "mute-events", "n", "100"],
      ["visitors", "Until more visitors", "mute-visitors", "v", "10"],
    ],
  ],
  ["Assign", [["to", "To, empty for nobody", "assign", "t"]]],
  ["Merge", [["into", "Into #, title or digest", "merge", "g"]]],
] as const;

interface TriageMenuProps {
  form: FormState;
  /** Values to choose from, by field. */
  known: Readonly<Record<string, readonly Known[]>>;
  /** Whether there is something to split off. */
  isMerged?: boolean;
}

interface Known {
  name: string;
  shownName?: string | undefined;
}

/** Actions that need input. Open if an input was invalid. */
export function TriageMenu({ form, known, isMerged = false }: TriageMenuProps) {
  return (
    <details className="menu" open={groups.some(([, asked]) => asked.some(([name]) => form.error(name)))}>
      <summary className="button" data-key=",">
        More <kbd>,</kbd>
      </summary>
      <ul>
        {groups.map(([heading, asked]) => (
          <li key={heading}>
            <fieldset>
              <legend>{heading}</legend>
              {asked.map((ask) => (
                <Ask key={ask[0]} {...{ form, ask, button: heading }} known={known[ask[0]]} />
              ))}
              {isMerged && heading === "Merge" && (
                <button type="submit" name="do" value="split" className="quiet destructive" data-key="s">
                  Take merged issues out again <kbd>s</kbd>
                </button>
              )}
            </fieldset>
          </li>
        ))}
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

/** Enter in a field presses the button beside it. */
function pressesNext({ key, currentTarget }: KeyboardEvent<HTMLInputElement>): void {
  if (key === "Enter") currentTarget.closest("div")?.querySelector("button")?.click();
}

interface AskProps {
  form: FormState;
  ask: (typeof groups)[number][1][number];
  button: string;
  known: readonly Known[] | undefined;
}

function Ask({ form, ask: [name, label, does, pressed, usual], button, known }: AskProps) {
  const { defaultValue = usual, ...field } = form.field(name);
  return (
    <div className="ask">
      <label>
        <span>{label}</span>
        <input
          {...field}
          defaultValue={defaultValue}
          inputMode={usual === undefined ? undefined : "numeric"}
          list={known && `known-${name}`}
          autoComplete="off"
          data-key={pressed}
          onKeyDown={pressesNext}
        />
      </label>
      {known && (
        <datalist id={`known-${name}`}>
          {known.map((one) => (
            <option key={one.name} value={one.name} label={one.shownName} />
          ))}
        </datalist>
      )}
      <button type="submit" name="do" value={does}>
        {button}
      </button>
      <kbd>{pressed}</kbd>
      <span {...form.error(name)} className="problem" />
    </div>
  );
}
