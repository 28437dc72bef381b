import { type ActionRef, Form } from "holdfast";
import { CopyButton } from "../copy-button.tsx";
import { Said } from "./said.tsx";

interface ReportsProps {
  dsn: string;
  clients: readonly { name: string; text: string }[];
  /** Only for owners. */
  action: ActionRef | undefined;
}

/** The DSN and the set-up code of each client, ready to paste. */
export function Reports({ dsn, clients, action }: ReportsProps) {
  return (
    <section aria-labelledby="dsn">
      <h2 id="dsn">Where reports go</h2>
      <p>
        An application around this service reports by itself. Any other client of the Sentry protocol needs this DSN:
      </p>
      <p className="digest-box">
        <code className="breaks dsn">{dsn}</code> <CopyButton text={dsn}>Copy</CopyButton>
      </p>
      <h3>Set it up for</h3>
      <div className="clients">
        {clients.map(({ name, text }) => (
          <details key={name} name="client">
            <summary>{name}</summary>
            <div className="paste">
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, and who has only a keyboard
                  scrolls them by focus */}
              <pre tabIndex={0}>{text}</pre>
              <CopyButton text={text}>Copy</CopyButton>
            </div>
          </details>
        ))}
      </div>
      {action && (
        <Form action={action}>
          {(form) => (
            <>
              <details className="group">
                <summary>Replace the key</summary>
                <p>
                  Anyone with the key can send reports, and do nothing else. A new one is for when somebody sends what
                  they should not: every client needs the new DSN then. An application around this service follows by
                  itself.
                </p>
                <button type="submit">Replace it now</button>
              </details>
              <Said form={form} />
            </>
          )}
        </Form>
      )}
    </section>
  );
}
