import { type ActionRef, Form, type FormState } from "holdfast";
import { CopyButton } from "../copy-button.tsx";
import { Said } from "../settings/said.tsx";
import { TimeAgo } from "../time/time-ago.tsx";

interface Key {
  publicKey: string;
  name: string;
  dsn: string;
  isMain: boolean;
  isDisabled: boolean;
  perMinute: number | undefined;
  origins: readonly string[];
  lastUsedAt: number | undefined;
  refused: number;
}

interface KeyActions {
  save: ActionRef;
  step: ActionRef;
}

/** A key with its DSN, its use and its rules. */
export function OneKey({ shown, now, actions }: { shown: Key; now: number; actions: KeyActions | undefined }) {
  const { publicKey, name, dsn, isMain, isDisabled } = shown;
  return (
    <>
      <h3 className="breaks">
        {name} {isMain && <span className="second">main key</span>}{" "}
        {isDisabled && <span className="state muted">○ disabled</span>}
      </h3>
      <p className="digest-box">
        <code className="breaks dsn">{dsn}</code> <CopyButton text={dsn}>Copy</CopyButton>
      </p>
      <p className="second">
        <Use shown={shown} now={now} />
      </p>
      <p className="second breaks">{rulesOf(shown)}</p>
      {actions && (
        <>
          <KeyForm shown={shown} action={actions.save} />
          {!isMain && (
            <Form action={actions.step} of="row" notices={false} className="toolbar">
              <input type="hidden" name="key" value={publicKey} />
              <button
                type="submit"
                name="do"
                value={isDisabled ? "enable" : "disable"}
                aria-label={`${isDisabled ? "Enable" : "Disable"} ${name}`}
              >
                {isDisabled ? "Enable" : "Disable"}
              </button>
              {!isDisabled && (
                <button type="submit" name="do" value="make-main" aria-label={`Make ${name} the main key`}>
                  Make it the main key
                </button>
              )}
              <button type="submit" name="do" value="remove" className="grave" aria-label={`Remove ${name}`}>
                Remove
              </button>
            </Form>
          )}
        </>
      )}
    </>
  );
}

/** For a new key without `shown`. Without JavaScript, a result outside of `details` is seen. */
export function KeyForm({ shown, action }: { shown?: Key; action: ActionRef }) {
  return (
    <Form action={action} of={shown?.publicKey ?? "new"}>
      {(form) => (
        <>
          <details className={shown ? undefined : "group"} open={form.all.length > 0}>
            {shown ? (
              <summary className="button" aria-label={`Change ${shown.name}`}>
                Change
              </summary>
            ) : (
              <summary>Make a key</summary>
            )}
            <div className="sheet">
              {shown && <input type="hidden" name="key" value={shown.publicKey} />}
              <label>
                {shown ? "Name" : "Name of the new key"}
                <input {...typedBefore(form, "name", shown?.name)} maxLength={80} required />
                <span {...form.error("name")} className="problem" />
              </label>
              <label>
                At most so many of each kind in a minute
                <input
                  inputMode="numeric"
                  {...typedBefore(form, "perMinute", shown?.perMinute?.toString())}
                  placeholder="no limit"
                />
                <span {...form.error("perMinute")} className="problem" />
              </label>
              <label>
                Pages that may send with it
                <input
                  {...typedBefore(form, "origins", shown?.origins.join(" "))}
                  placeholder="all, or https://shop.example https://*.shop.example"
                />
                <span {...form.error("origins")} className="problem" />
              </label>
              <button type="submit">{shown ? "Keep it" : "Make it"}</button>
            </div>
          </details>
          <Said form={form} />
        </>
      )}
    </Form>
  );
}

/** What was typed before it was refused, or else what is kept. */
function typedBefore(form: FormState, name: string, kept = ""): ReturnType<FormState["field"]> {
  const field = form.field(name);
  return { ...field, defaultValue: field.defaultValue ?? kept };
}

function Use({ shown: { lastUsedAt, refused }, now }: { shown: Key; now: number }) {
  const count = refused === 0 ? "" : ` ${refused.toLocaleString("en")} refused.`;
  if (lastUsedAt === undefined) return <>Not used yet.{count}</>;
  return (
    <>
      Last used <TimeAgo at={lastUsedAt} now={now} />.{count}
    </>
  );
}

function rulesOf({ perMinute, origins }: Key): string {
  const limit = perMinute === undefined ? "No limit of its own" : `${perMinute} of each kind in a minute`;
  return `${limit} · ${origins.length === 0 ? "all pages" : origins.join(", ")}`;
}
