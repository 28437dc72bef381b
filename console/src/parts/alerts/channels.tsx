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
        <ul className="plain setting-rows">
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
  const { id, name, kind, target } = channel;
  const known = channelKinds.find((one) => one.kind === kind);
  return (
    <>
      <h3 className="breaks">
        {name} <span className="second">{[known?.name ?? kind, target].filter((text) => text !== "").join(", ")}</span>
      </h3>
      <Outcomes channel={channel} now={now} />
      {actions && known && (
        <>
          <Form action={actions.test} of={`test-${id}`}>
            {(form) => <Said form={form} />}
          </Form>
          <Form action={actions.test} of={`test-${id}`} className="beside-change" notices={false}>
            <input type="hidden" name="id" value={id} />
            <button type="submit" aria-label={`Send a test to ${name}`}>
              Send a test
            </button>
          </Form>
          <details>
            <summary className="button" aria-label={`Change ${name}`}>
              Change
            </summary>
            <ChannelForm kind={known} channel={channel} action={actions.save} />
            <Form action={actions.remove} of="remove" notices={false}>
              <input type="hidden" name="id" value={id} />
              <button type="submit" aria-label={`Remove ${name}`}>
                Remove this channel
              </button>
            </Form>
          </details>
        </>
      )}
    </>
  );
}

/** The last success and the last failure; the newer one is the state of the channel. */
function Outcomes({ channel: { sentAt, failure, waiting }, now }: { channel: Channel; now: number }) {
  const fails = failure !== undefined && failure.at > (sentAt ?? 0);
  return (
    <>
      {failure && (
        <p className={fails ? "problem breaks" : "second breaks"}>
          {fails && "▲ "}Last failed <TimeAgo at={failure.at} now={now} />: {failure.why}
        </p>
      )}
      <p className="second">
        {sentAt === undefined ? (
          "Nothing was sent yet."
        ) : (
          <>
            {!fails && "✓ "}Last sent <TimeAgo at={sentAt} now={now} />.
          </>
        )}
        {waiting > 0 && ` ${many(waiting, "message")} waiting.`}
      </p>
    </>
  );
}
