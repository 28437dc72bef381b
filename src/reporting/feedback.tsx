import { type ReactNode, type SubmitEvent, useState } from "react";
import { notify } from "./browser/relay.ts";

/** The words that the form shows, for other languages. */
export interface FeedbackWords {
  question: string;
  name: string;
  email: string;
  send: string;
  thanks: string;
  failed: string;
}

export interface FeedbackProps {
  words?: Partial<FeedbackWords>;
  /** False: asks neither for a name nor for an e-mail address. */
  contact?: boolean;
  className?: string;
}

const english: FeedbackWords = {
  question: "What would you like to tell us?",
  name: "Name (optional)",
  email: "E-mail (optional)",
  send: "Send",
  thanks: "Thank you. We have received it.",
  failed: "This could not be sent. What you typed is still here; please try again later.",
};

/** As on the error page. */
const longestText = 2_000;

/**
 * Asks visitors what they think, on a page that is not broken. Without script it is a plain form; with script the page
 * stays, and the visitor's last steps go with the words.
 *
 * @example
 * <Feedback words={{ question: "What is missing here?" }} />
 */
export function Feedback({ words, contact = true, className }: FeedbackProps): ReactNode {
  const [state, setState] = useState<"asks" | "sends" | "sent" | "failed">("asks");
  const shown = { ...english, ...words };
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    setState("sends");
    void sent(event.currentTarget).then((done) => setState(done ? "sent" : "failed"));
  };
  if (state === "sent")
    return (
      // The form had the focus and is gone.
      <p role="status" tabIndex={-1} className={className} ref={(element) => element?.focus()}>
        {shown.thanks}
      </p>
    );
  return (
    <form
      method="post"
      action={feedbackPath}
      className={className}
      data-hard=""
      aria-busy={state === "sends" || undefined}
      onSubmit={submit}
    >
      <label>
        {shown.question} <textarea name="message" rows={4} maxLength={longestText} required />
      </label>
      {contact && (
        <>
          <label>
            {shown.name} <input name="name" autoComplete="name" maxLength={200} />
          </label>
          <label>
            {shown.email} <input name="email" type="email" autoComplete="email" maxLength={200} />
          </label>
        </>
      )}
      {/* Programs fill in every field. People do not see this one. */}
      <p hidden>
        <input name="website" tabIndex={-1} autoComplete="off" aria-hidden="true" />
      </p>
      <button type="submit" disabled={state === "sends"}>
        {shown.send}
      </button>
      {state === "failed" && <p role="alert">{shown.failed}</p>}
    </form>
  );
}

/** On the application's own host, where neither a content blocker nor a content security policy is in the way. */
const feedbackPath = "/_holdfast/feedback";

async function sent(form: HTMLFormElement): Promise<boolean> {
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (typeof value === "string") fields.append(name, value);
  // Called at once if the reporter has loaded, else too late to be sent.
  notify("context", ({ route, segment, steps, user }) =>
    fields.set(
      "facts",
      JSON.stringify({ route, trace: segment?.traceId, span: segment?.root.spanId, steps: steps?.all, user }),
    ),
  );
  try {
    const answer = await fetch(feedbackPath, { method: "POST", body: fields, headers: { Accept: "application/json" } });
    return answer.ok;
  } catch {
    // Offline: the text stays in the form.
    return false;
  }
}
