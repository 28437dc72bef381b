import { exactTime } from "../time/time-ago.tsx";
import { type Rule, type RuleActions, RuleForm } from "./rule-form.tsx";

interface RulesProps {
  rules: readonly Rule[];
  now: number;
  /** Only for owners. */
  actions: RuleActions | undefined;
}

/** No date is later. */
const lastDate = 8_640_000_000_000_000;

/** What is reported, each with its filters. */
export function Rules({ rules, now, actions }: RulesProps) {
  return (
    <section aria-labelledby="rules">
      <h2 id="rules">Rules</h2>
      <ul className="plain alert-rules">
        {rules.map((rule) => (
          <li key={rule.kind}>
            <h3>
              {rule.words.name} <State rule={rule} now={now} />
            </h3>
            <p>{rule.words.about}</p>
            <p className="second">{inWords(rule)}</p>
            {actions && (
              <details className="group">
                <summary aria-label={`Change the rule ${rule.words.name}`}>Change</summary>
                <RuleForm rule={rule} now={now} actions={actions} />
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

/** Numbers and filters in one line. */
function inWords(rule: Rule): string {
  const { filters, numbers } = rule.words;
  const chosen = filters.map((filter) => {
    const values = rule.filters[filter];
    return values.length === 0 ? `any ${filter.slice(0, -1)}` : values.join(", ");
  });
  return [...numbers.map(({ name, label }) => `${label}: ${rule[name].toLocaleString("en-US")}`), ...chosen].join(
    " · ",
  );
}
