import type { FormState } from "holdfast";
import { CopyButton } from "../copy-button.tsx";

interface Done {
  said: string;
  link?: string;
}

/** What an action has done, or why not; a link that it made is shown this once. */
export function Said({ form }: { form: FormState }) {
  const done = isDone(form.result) ? form.result : undefined;
  return (
    <div role="status" className={form.errors.length > 0 ? "problem" : undefined}>
      {done?.said ?? form.errors.join(" ")}
      {done?.link && (
        <p className="digest-box">
          <code className="breaks dsn">{done.link}</code> <CopyButton text={done.link}>Copy</CopyButton>
        </p>
      )}
    </div>
  );
}

function isDone(result: unknown): result is Done {
  return typeof result === "object" && result !== null && "said" in result && typeof result.said === "string";
}
