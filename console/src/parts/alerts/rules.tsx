import { TimeAgo } from "../time/time-ago.tsx";
import { type Rule, type RuleActions, RuleForm } from "./rule-form.tsx";

interface RulesProps {
  rules: readonly Rule[];
  /** Where their messages go, in a sentence. */
  sentTo: string;
  now: number;
  /** Only for owners. */
  actions: RuleActions | undefined;
}

/** No date is later. */
const lastDate = 8_640_000_000_000_000;

/** What is reported, each with its filters. */
export function Rules({ rules, sentTo, now, actions }: RulesProps) {
  return (
    <section aria-labelledby="rules">
      <h2 id="rules">Rules</h2>
      <p>{sentTo}</p>
      <ul className="plain setting-rows">
        {rules.map((rule) => (
          <li key={rule.kind}>
            <h3>
              {rule.words.name} <State rule={rule} now={now} />
            </h3>
            <p>{rule.words.about}</p>
            {rule.words.filters.length > 0 && <p className="second breaks">{inWords(rule)}</p>}
            {actions && (
              <details>
                <summary className="button" aria-label={`Change the rule ${rule.words.name}`}>
                  Change
                </summary>
                <RuleForm rule={rule} now={now} actions={actions} />
              </details>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What is as usual is said quietly. */
function State({ rule: { isOn, mutedUntil }, now }: { rule: Rule; now: number }) {
  if (!isOn) return <span className="state muted">○ off</span>;
  if (mutedUntil === undefined || mutedUntil <= now) return <span className="second">on</span>;
  return (
    <span className="state muted">
      ∅ muted{mutedUntil < lastDate && ", ends "}
      {mutedUntil < lastDate && <TimeAgo at={mutedUntil} now={now} />}
    </span>
  );
}

/** What the filters let through, in one line. */
function inWords({ words, filters }: Rule): string {
  return words.filters
    .map((filter) => {
      const chosen = filters[filter];
      return chosen.length === 0 ? `any ${filter.slice(0, -1)}` : chosen.join(", ");
    })
    .join(" · ");
}
