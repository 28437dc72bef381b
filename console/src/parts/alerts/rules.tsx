import { type ActionRef, Form } from "holdfast";
import { Said } from "../settings/said.tsx";
import { exactTime } from "../time/time-ago.tsx";
import { ruleWords } from "./rule-words.ts";

export interface Rule {
  kind: string;
  isOn: boolean;
  mutedUntil: number | undefined;
  filters: { levels: readonly string[]; environments: readonly string[]; routes: readonly string[] };
}

interface RulesProps {
  rules: readonly Rule[];
  now: number;
  /** Only for owners. */
  action: ActionRef | undefined;
}

const levels = ["fatal", "error", "warning", "info", "debug"];
/** No date is later. */
const lastDate = 8_640_000_000_000_000;

/** What is reported, each with its filters. */
export function Rules({ rules, now, action }: RulesProps) {
  return (
    <section aria-labelledby="rules">
      <h2 id="rules">Rules</h2>
      <ul className="plain alert-rules">
        {rules.map((rule) => (
          <li key={rule.kind}>
            <h3>
              {ruleWords(rule.kind).name} <State rule={rule} now={now} />
            </h3>
            <p>{ruleWords(rule.kind).about}</p>
            <p className="second">{filtersInWords(rule.filters)}</p>
            {action && (
              <details className="group">
                <summary aria-label={`Change the rule ${ruleWords(rule.kind).name}`}>Change</summary>
                <RuleForm rule={rule} now={now} action={action} />
              </details>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function State({ rule: { isOn, mutedUntil }, now }: { rule: Rule; now: number }) {
  if (!isOn) return <span className="second">off</span>;
  if (mutedUntil === undefined || mutedUntil <= now) return <span className="second">on</span>;
  return <span className="second">{mutedUntil >= lastDate ? "muted" : `muted until ${exactTime(mutedUntil)}`}</span>;
}

function filtersInWords({ levels: of, environments, routes }: Rule["filters"]): string {
  const parts = [
    of.length === 0 ? "any level" : of.join(", "),
    environments.length === 0 ? "any environment" : environments.join(", "),
    routes.length === 0 ? "any route" : routes.join(", "),
  ];
  return parts.join(" · ");
}

function RuleForm({ rule, now, action }: { rule: Rule; now: number; action: ActionRef }) {
  const { kind, isOn, mutedUntil, filters } = rule;
  const isMuted = mutedUntil !== undefined && mutedUntil > now;
  return (
    <Form action={action} of={kind} className="sheet">
      {(form) => (
        <>
          <input type="hidden" name="kind" value={kind} />
          <label className="check">
            <input type="checkbox" name="isOn" defaultChecked={isOn} /> On
          </label>
          <fieldset className="toolbar">
            <legend>Levels (none means any)</legend>
            {levels.map((level) => (
              <label key={level} className="check">
                <input type="checkbox" name="level" value={level} defaultChecked={filters.levels.includes(level)} />{" "}
                {level}
              </label>
            ))}
          </fieldset>
          <label>
            Environments
            <input {...form.field("environments")} defaultValue={filters.environments.join(" ")} placeholder="any" />
          </label>
          <label>
            Routes
            <input {...form.field("routes")} defaultValue={filters.routes.join(" ")} placeholder="/cart /orders/*" />
          </label>
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
          <button type="submit">Save</button>
          <Said form={form} />
        </>
      )}
    </Form>
  );
}
