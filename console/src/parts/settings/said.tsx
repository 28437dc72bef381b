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

/** A created link is shown only once. */
function Done({ said, link }: { said: string; link?: string }) {
  return (
    <>
      {said}
      {link && (
        <p className="digest-box">
          <code className="breaks dsn">{link}</code> <CopyButton text={link}>Copy</CopyButton>
        </p>
      )}
    </>
  );
}

function isDone(result: unknown): result is { said: string; link?: string } {
  return typeof result === "object" && result !== null && "said" in result && typeof result.said === "string";
}
