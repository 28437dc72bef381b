import { type ActionRef, Form, Link } from "holdfast";
import { KeyForm, OneKey } from "../../../parts/intake/keys.tsx";
import { SpikeProtection } from "../../../parts/intake/spike-protection.tsx";
import { Said } from "../../../parts/settings/said.tsx";

export default function Keys({ data, actions }: PageProps<"/[project]/settings/keys">) {
  const { keys, now, isOwner, project } = data;
  return (
    <main className="settings">
      <title>Keys · Holdfast</title>
      <meta name="description" content="Keys with which clients send reports, and their limits." />
      <p>
        <Link to="/[project]/settings" params={{ project: project.id }}>
          Settings
        </Link>
      </p>
      <h1>Keys of {project.name}</h1>
      <p>
        A client needs one DSN. With a key for each client, one that sends what it should not can be limited or disabled
        alone.
      </p>
      {keys === undefined ? (
        <p className="notice">Members of the project see its keys.</p>
      ) : (
        <section aria-labelledby="keys">
          <h2 id="keys">Keys</h2>
          <ul className="plain setting-rows">
            {keys.map((key) => (
              <li key={key.publicKey}>
                <OneKey shown={key} now={now} actions={isOwner ? actions : undefined} />
              </li>
            ))}
          </ul>
          {/* A removed row disappears, so its result is shown below. */}
          <Form action={actions.step} of="row">
            {(form) => <Said form={form} />}
          </Form>
          {isOwner && <KeyForm action={actions.save} />}
        </section>
      )}
      <Limit perMinute={data.perMinute} action={isOwner ? actions.limit : undefined} />
      <SpikeProtection rules={data.spike} action={isOwner ? actions.spike : undefined} />
    </main>
  );
}

function Limit({ perMinute, action }: { perMinute: number | undefined; action: ActionRef | undefined }) {
  return (
    <section aria-labelledby="limit">
      <h2 id="limit">Limit of the project</h2>
      <p>
        All keys together. Errors, transactions, logs and other kinds are counted each on its own; check-ins and what
        clients say about their losses are not. What is over the limit is dropped and counted, and clients are asked to
        wait.
      </p>
      {action ? (
        <Form action={action}>
          {(form) => (
            <>
              <div className="asks">
                <label>
                  Of each kind in a minute
                  <input
                    inputMode="numeric"
                    {...form.field("perMinute")}
                    defaultValue={form.field("perMinute").defaultValue ?? perMinute ?? ""}
                    placeholder="no limit"
                  />
                  <span {...form.error("perMinute")} className="problem" />
                </label>
                <button type="submit">Keep it</button>
              </div>
              <Said form={form} />
            </>
          )}
        </Form>
      ) : (
        <p>{perMinute === undefined ? "There is no limit." : `${perMinute} of each kind in a minute.`}</p>
      )}
    </section>
  );
}
