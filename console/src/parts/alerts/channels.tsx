import { type ActionRef, Form } from "holdfast";
import { many } from "../charts/numbers.ts";
import { Said } from "../settings/said.tsx";
import { TimeAgo } from "../time/time-ago.tsx";
import { ChannelForm } from "./channel-form.tsx";
import { channelKinds } from "./channel-kinds.ts";

interface Channel {
  id: string;
  name: string;
  kind: string;
  target: string;
  sentAt: number | undefined;
  failure: { at: number; why: string } | undefined;
  waiting: number;
}

interface Actions {
  save: ActionRef;
  remove: ActionRef;
  test: ActionRef;
}

interface ChannelsProps {
  channels: readonly Channel[];
  hasMailServer: boolean;
  now: number;
  /** Only for owners. */
  actions: Actions | undefined;
}

/** Where messages go, and what became of the last ones. */
export function Channels({ channels, hasMailServer, now, actions }: ChannelsProps) {
  return (
    <section aria-labelledby="channels">
      <h2 id="channels">Channels</h2>
      {channels.length > 0 && (
        <ul className="plain alert-channels">
          {channels.map((channel) => (
            <li key={channel.id}>
              <OneChannel channel={channel} now={now} actions={actions} />
            </li>
          ))}
        </ul>
      )}
      {/* A removed channel shows no result, so it is shown here. */}
      {actions && (
        <Form action={actions.remove} of="remove">
          {(form) => <Said form={form} />}
        </Form>
      )}
      {actions && (
        <>
          <h3>Add a channel</h3>
          <div className="clients">
            {channelKinds.map((kind) => (
              <details key={kind.kind} name="new-channel">
                <summary>{kind.name}</summary>
                {kind.kind === "mail" && !hasMailServer && (
                  <p className="notice">
                    Mails need a mail server: set HOLDFAST_SMTP and HOLDFAST_MAIL_FROM, and install nodemailer.
                  </p>
                )}
                <ChannelForm kind={kind} action={actions.save} />
              </details>
            ))}
          </div>
        </>
      )}
    </section>
  );
}

function OneChannel({ channel, now, actions }: { channel: Channel; now: number; actions: Actions | undefined }) {
  const { id, name, kind, target, sentAt, failure, waiting } = channel;
  const known = channelKinds.find((one) => one.kind === kind);
  return (
    <>
      <h3>
        {name} <span className="second">{[known?.name ?? kind, target].filter((text) => text !== "").join(", ")}</span>
      </h3>
      <p>
        {sentAt === undefined ? (
          "Nothing was sent yet."
        ) : (
          <>
            Last sent <TimeAgo at={sentAt} now={now} />.
          </>
        )}{" "}
        {waiting > 0 && `${many(waiting, "message")} waiting.`}
      </p>
      {failure && (
        <p className={failure.at > (sentAt ?? 0) ? "problem breaks" : "second breaks"}>
          Last failed <TimeAgo at={failure.at} now={now} />: {failure.why}
        </p>
      )}
      {actions && known && (
        <>
          <div className="toolbar">
            <Form action={actions.test} of={`test-${id}`}>
              {(form) => (
                <>
                  <input type="hidden" name="id" value={id} />
                  <button type="submit" aria-label={`Send a test to ${name}`}>
                    Send a test
                  </button>
                  <Said form={form} />
                </>
              )}
            </Form>
            <Form action={actions.remove} of="remove" notices={false}>
              <input type="hidden" name="id" value={id} />
              <button type="submit" aria-label={`Remove ${name}`}>
                Remove
              </button>
            </Form>
          </div>
          <details className="group">
            <summary aria-label={`Change ${name}`}>Change</summary>
            <ChannelForm kind={known} channel={channel} action={actions.save} />
          </details>
        </>
      )}
    </>
  );
}
