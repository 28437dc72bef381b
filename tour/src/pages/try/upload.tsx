import { Form } from "holdfast";
import { useRef } from "react";
import { useScripts } from "../../parts/copy.tsx";

export default function Upload({ actions }: PageProps<"/try/upload">) {
  const input = useRef<HTMLInputElement>(null);
  const scripts = useScripts();
  return (
    <Form action={actions.measure} encType="multipart/form-data" className="card stack">
      {(form) => (
        <>
          <div className="field">
            <label htmlFor="file">A file of up to 32 MB</label>
            <input {...form.field("file")} ref={input} id="file" type="file" />
            {form.error("file") && <span className="field-error" {...form.error("file")} />}
          </div>
          <p className="buttons">
            <button className="button primary" type="submit" disabled={form.pending}>
              Send
            </button>
            {scripts && (
              <button className="button" type="button" onClick={() => choose(input.current)}>
                Choose 20 MB of zeros for me
              </button>
            )}
          </p>
          {form.pending ? <Sent share={form.progress ?? 0} /> : form.result && <Measured {...form.result} />}
        </>
      )}
    </Form>
  );
}

function Sent({ share }: { share: number }) {
  return (
    <p>
      <progress aria-label="Sent" value={share} /> {Math.round(share * 100)} %
    </p>
  );
}

function choose(input: HTMLInputElement | null): void {
  const chosen = new DataTransfer();
  chosen.items.add(new File([new Uint8Array(20_000_000)], "zeros.bin"));
  if (input) input.files = chosen.files;
}

function Measured({ bytes, checksum }: { bytes: number; checksum: string }) {
  return (
    <p role="status">
      {bytes} bytes arrived, with the SHA-256 <code>{checksum}</code>. Nothing was kept.
    </p>
  );
}
