import { Link } from "holdfast";
import { shownRelease } from "./release-name.ts";

/** Link to a release. A commit is shortened. */
export function ReleaseLink({ project, name, children }: { project: string; name: string; children?: string }) {
  return (
    <Link to="/[project]/releases/named" params={{ project }} search={{ name }}>
      {children ?? shownRelease(name)}
    </Link>
  );
}
