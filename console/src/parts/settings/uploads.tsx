import { type ActionRef, Form } from "holdfast";
import { TimeAgo } from "../time/time-ago.tsx";
import { Said } from "./said.tsx";

interface SourceLinksProps {
  template: string;
  action: ActionRef;
}

/** The template by which frames of a stack lead to the repository. */
export function SourceLinks({ template, action }: SourceLinksProps) {
  return (
    <section aria-labelledby="source-links">
      <h2 id="source-links">Source links</h2>
      <Form action={action}>
        {(form) => (
          <>
            <div className="asks">
              <label>
                Address of a line in the repository
                <input
                  {...form.field("template")}
                  defaultValue={template}
                  maxLength={500}
                  placeholder="https://git.example/shop/blob/{commit}/{file}#L{line}"
                />
                <span {...form.error("template")} className="problem" />
              </label>
              <button type="submit">Keep it</button>
            </div>
            <p className="second">
              Frames of the application lead there. <code>{"{commit}"}</code> is the commit of the release,{" "}
              <code>{"{file}"}</code> the path in the repository, <code>{"{line}"}</code> the line.
            </p>
            <Said form={form} />
          </>
        )}
      </Form>
    </section>
  );
}

interface UploadsProps {
  tokens: readonly { name: string; createdAt: number }[];
  now: number;
  action: ActionRef;
}

/** Tokens with which build tools and applications upload source maps. */
export function Uploads({ tokens, now, action }: UploadsProps) {
  return (
    <section aria-labelledby="uploads">
      <h2 id="uploads">Uploads</h2>
      <p>
        A token lets a pipeline or an application upload source maps and commits to this project, and nothing else. An
        application that reports from another machine needs it as <code>HOLDFAST_UPLOAD_TOKEN</code>, sentry-cli and the
        plugins of bundlers as <code>SENTRY_AUTH_TOKEN</code>.
      </p>
      {tokens.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">Token</th>
              <th scope="col">Made</th>
              <th scope="col">
                <span className="unseen">Change</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {tokens.map(({ name, createdAt }) => (
              <tr key={name}>
                <th scope="row" className="breaks">
                  {name}
                </th>
                <td>
                  <TimeAgo at={createdAt} now={now} />
                </td>
                <td>
                  <Form action={action} of="row" notices={false}>
                    <input type="hidden" name="name" value={name} />
                    <button type="submit" name="do" value="remove" aria-label={`Remove ${name}`}>
                      Remove
                    </button>
                  </Form>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {/* A removed row disappears, so its result is shown below. */}
      <Form action={action} of="row">
        {(form) => <Said form={form} />}
      </Form>
      <Form action={action} of="token">
        {(form) => (
          <>
            <div className="asks">
              <input type="hidden" name="do" value="create" />
              <label>
                Name of a new token
                <input {...form.field("name")} maxLength={80} required />
                <span {...form.error("name")} className="problem" />
              </label>
              <button type="submit">Make a token</button>
            </div>
            <Said form={form} />
          </>
        )}
      </Form>
    </section>
  );
}
