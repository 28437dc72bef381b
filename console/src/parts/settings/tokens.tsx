import { type ActionRef, Form } from "holdfast";
import type { ReactNode } from "react";
import { TimeAgo } from "../time/time-ago.tsx";
import { Said } from "./said.tsx";

const scopes = [
  ["read", "Read", "issues, events, traces, logs, releases"],
  ["triage", "Triage", "also resolve, assign, mute and comment"],
  ["upload", "Upload", "source maps, commits and deploys"],
  ["admin", "Admin", "everything, settings and members included"],
] as const;

const lifetimes = [
  ["30", "30 days"],
  ["90", "90 days"],
  ["365", "A year"],
  ["0", "It does not expire"],
] as const;

interface TokenBookProps {
  id: string;
  title: string;
  tokens: readonly {
    id: number;
    name: string;
    scopes: readonly string[];
    created: number;
    expires: number | undefined;
    used: number | undefined;
  }[];
  now: number;
  action: ActionRef;
  children: ReactNode;
}

/** Tokens of one owner, and a form for another. */
export function TokenBook({ id: section, title, tokens, now, action, children }: TokenBookProps) {
  return (
    <section aria-labelledby={section}>
      <h2 id={section}>{title}</h2>
      <p>{children}</p>
      <ul className="plain sessions">
        {tokens.map(({ id, name, scopes: of, created, used, expires }) => (
          <li key={id} className="own-session">
            <div className="breaks">
              <strong>{name}</strong>{" "}
              {expires !== undefined && expires <= now && <span className="state">Expired</span>}
              <p className="second">
                {of.join(", ")} · made <TimeAgo at={created} now={now} /> ·{" "}
                {used === undefined ? "never used" : <UsedAgo at={used} now={now} />} · {expiryWords(expires, now)}
              </p>
            </div>
            <Form action={action} of="row" notices={false}>
              <input type="hidden" name="id" value={id} />
              <button type="submit" name="do" value="revoke" aria-label={`Revoke ${name}`}>
                Revoke
              </button>
            </Form>
          </li>
        ))}
      </ul>
      {/* A revoked row disappears, so its result is shown below. */}
      <Form action={action} of="row">
        {(form) => <Said form={form} />}
      </Form>
      <NewToken action={action} />
    </section>
  );
}

function UsedAgo({ at, now }: { at: number; now: number }) {
  return (
    <>
      used <TimeAgo at={at} now={now} />
    </>
  );
}

function expiryWords(at: number | undefined, now: number): string {
  if (at === undefined) return "does not expire";
  if (at <= now) return "refused";
  const days = Math.ceil((at - now) / 86_400_000);
  return days === 1 ? "expires within a day" : `expires in ${days} days`;
}

function NewToken({ action }: { action: ActionRef }) {
  return (
    <Form action={action} of="token">
      {(form) => (
        <div className="sheet">
          <input type="hidden" name="do" value="create" />
          <label>
            Name
            <input {...form.field("name")} maxLength={60} required placeholder="nightly report" />
            <span {...form.error("name")} className="problem" />
          </label>
          <fieldset>
            <legend>Scopes</legend>
            {scopes.map(([value, name, meaning]) => (
              <label key={value} className="check">
                <input type="checkbox" name="scope" value={value} defaultChecked={value === "read"} />
                <span>
                  {name} <span className="second">{meaning}</span>
                </span>
              </label>
            ))}
          </fieldset>
          <label>
            Expires
            <select {...form.field("days")} defaultValue="90">
              {lifetimes.map(([value, name]) => (
                <option key={value} value={value}>
                  {name}
                </option>
              ))}
            </select>
            <span {...form.error("days")} className="problem" />
          </label>
          <button type="submit">Make a token</button>
          <Said form={form} />
        </div>
      )}
    </Form>
  );
}
