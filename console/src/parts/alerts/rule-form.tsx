import { type ActionRef, Form, type FormState } from "holdfast";
import type { RuleFilterName, RuleWords } from "../../server/rule-words.ts";
import { Said } from "../settings/said.tsx";

export interface Rule {
  kind: string;
  words: RuleWords;
  isOn: boolean;
  mutedUntil: number | undefined;
  filters: { levels: readonly string[]; environments: readonly string[]; routes: readonly string[] };
  events: number;
  visitors: number;
  minutes: number;
  factor: number;
}

export interface RuleActions {
  save: ActionRef;
  preview: ActionRef;
}

const levels = ["fatal", "error", "warning", "info", "debug"];

/** Changes a rule, and says how often it would have fired as the form has it. */
export function RuleForm({ rule, now, actions }: { rule: Rule; now: number; actions: RuleActions }) {
  const { kind, isOn } = rule;
  return (
    <>
      <Form action={actions.save} of={kind} className="sheet">
        {(form) => (
          <>
            <Fields rule={rule} now={now} form={form} />
            <label className="check">
              <input type="checkbox" name="isOn" defaultChecked={isOn} /> On
            </label>
            <button type="submit">Save</button>
            <Said form={form} />
          </>
        )}
      </Form>
      <Form action={actions.preview} of={`preview-${kind}`}>
        {(form) => (
          <>
            <KeptFields rule={rule} />
            <button type="submit" className="quiet" aria-label={`Try ${rule.words.name} on the last 7 days`}>
              How often in the last 7 days?
            </button>
            <Said form={form} />
          </>
        )}
      </Form>
    </>
  );
}

function Fields({ rule, now, form }: { rule: Rule; now: number; form: FormState }) {
  const { filters, numbers } = rule.words;
  return (
    <>
      <input type="hidden" name="kind" value={rule.kind} />
      {numbers.length > 0 && (
        <div className="asks">
          {numbers.map(({ name, label }) => (
            <label key={name}>
              {label}
              <input type="number" step="any" {...form.field(name)} defaultValue={rule[name]} required />
              <span {...form.error(name)} className="problem" />
            </label>
          ))}
        </div>
      )}
      {filters.map((filter) => (
        <Filter key={filter} filter={filter} rule={rule} form={form} />
      ))}
      <Mute mutedUntil={rule.mutedUntil} now={now} />
    </>
  );
}

function Filter({ filter, rule, form }: { filter: RuleFilterName; rule: Rule; form: FormState }) {
  const chosen = rule.filters[filter];
  if (filter === "levels")
    return (
      <fieldset className="toolbar">
        <legend>Levels (none means any)</legend>
        {levels.map((level) => (
          <label key={level} className="check">
            <input type="checkbox" name="level" value={level} defaultChecked={chosen.includes(level)} /> {level}
          </label>
        ))}
      </fieldset>
    );
  return (
    <label>
      {filter === "routes" ? "Routes" : "Environments"}
      <input
        {...form.field(filter)}
        defaultValue={chosen.join(" ")}
        placeholder={filter === "routes" ? "/cart /orders/*" : "any"}
      />
    </label>
  );
}

function Mute({ mutedUntil, now }: { mutedUntil: number | undefined; now: number }) {
  const isMuted = mutedUntil !== undefined && mutedUntil > now;
  return (
    <label>
      Mute
      <select name="mute" defaultValue={isMuted ? "keep" : "none"}>
        <option value="none">not muted</option>
        {isMuted && <option value="keep">as it is now</option>}
        <option value="hour">for 1 hour</option>
        <option value="eight-hours">for 8 hours</option>
        <option value="monday">until Monday</option>
        <option value="for-ever">for ever</option>
      </select>
    </label>
  );
}

/** The rule as it is saved. */
function KeptFields({ rule }: { rule: Rule }) {
  const { kind, filters } = rule;
  return (
    <>
      <input type="hidden" name="kind" value={kind} />
      {filters.levels.map((level) => (
        <input key={level} type="hidden" name="level" value={level} />
      ))}
      <input type="hidden" name="environments" value={filters.environments.join(" ")} />
      <input type="hidden" name="routes" value={filters.routes.join(" ")} />
    </>
  );
}
