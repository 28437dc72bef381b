import { href } from "holdfast";
import type { ShownFile } from "../../server/show-event.ts";
import { bytes } from "../charts/numbers.ts";

/** Files that came with an event or a note: name, type and size, to download. Pictures have a small preview. */
export function AttachedFiles(props: { files: readonly ShownFile[]; project: string; eventId: string }) {
  const { files, project, eventId } = props;
  if (files.length === 0) return null;
  return (
    <section aria-labelledby={`files-${eventId}`}>
      <h2 id={`files-${eventId}`}>Attached files</h2>
      <p className="second">They came from outside. Open them with care.</p>
      <ul className="plain files">
        {files.map(({ id, filename, contentType, size, hasPreview }) => {
          const address = href("/[project]/events/[id]/attachments/[file]", { project, id: eventId, file: id });
          return (
            <li key={id}>
              {hasPreview && <img src={address} alt={`Preview of ${filename}`} loading="lazy" />}
              <span>
                {size === undefined ? (
                  <span className="breaks">{filename}</span>
                ) : (
                  <a className="breaks" href={address} download={filename}>
                    {filename}
                  </a>
                )}{" "}
                <span className="second breaks">
                  {size === undefined ? "damaged on the disk" : bytes(size)}
                  {contentType && `, ${contentType}`}
                </span>
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
