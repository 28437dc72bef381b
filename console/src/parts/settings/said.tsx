import type { FormState } from "holdfast";
import { CopyButton } from "../copy-button.tsx";

/** Result of an action, or the reason of its refusal. */
export function Said({ form }: { form: FormState }) {
  return (
    <div role="status" className={form.errors.length > 0 ? "problem" : undefined}>
      {isDone(form.result) ? <Done {...form.result} /> : form.errors.join(" ")}
    </div>
  );
}

interface Result {
  said: string;
  link?: string;
  secret?: string;
}

/** A created link or secret is shown only once. */
function Done({ said, link, secret }: Result) {
  const shown = link ?? secret;
  return (
    <>
      {said}
      {shown && (
        <p className="digest-box">
          <code className="breaks dsn">{shown}</code> <CopyButton text={shown}>Copy</CopyButton>
        </p>
      )}
    </>
  );
}

function isDone(result: unknown): result is Result {
  return typeof result === "object" && result !== null && "said" in result && typeof result.said === "string";
}
