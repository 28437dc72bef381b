import { Link } from "holdfast";
import { shownRelease } from "./release-name.ts";

/** A release by its name, short where it is a commit; leads to what became of it. */
export function ReleaseLink({ project, name, children }: { project: string; name: string; children?: string }) {
  return (
    <Link to="/_holdfast/[project]/releases/named" params={{ project }} search={{ name }}>
      {children ?? shownRelease(name)}
    </Link>
  );
}
