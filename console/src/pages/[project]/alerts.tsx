import { Channels } from "../../parts/alerts/channels.tsx";
import { Conditions } from "../../parts/alerts/conditions.tsx";
import { Rules } from "../../parts/alerts/rules.tsx";

export default function Alerts({ data, actions }: PageProps<"/[project]/alerts">) {
  const { channels, rules, now, isOwner } = data;
  return (
    <main className="settings">
      <title>Alerts · Holdfast</title>
      <meta name="description" content="Who is notified of what, and how." />
      <h1>Alerts of {data.project.name}</h1>
      {channels.length === 0 && (
        <p className="notice">
          No one is notified yet. {isOwner ? "Add a channel" : "An owner adds a channel"}: the rules below apply from
          then on.
        </p>
      )}
      <Channels
        channels={channels}
        hasMailServer={data.hasMailServer}
        now={now}
        actions={isOwner ? { save: actions.save, remove: actions.remove, test: actions.test } : undefined}
      />
      <Rules
        rules={rules}
        sentTo={data.sentTo}
        now={now}
        actions={isOwner ? { save: actions.rule, preview: actions.preview } : undefined}
      />
      <Conditions
        quietHours={data.quietHours}
        allowedHosts={data.allowedHosts}
        summaryMail={data.summaryMail}
        decidesAll={data.decidesAll}
        action={isOwner ? actions.conditions : undefined}
      />
    </main>
  );
}
