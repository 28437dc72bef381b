import { Link } from "holdfast";
import { Filters } from "../../../parts/intake/filters.tsx";
import { ScrubRules } from "../../../parts/intake/scrub-rules.tsx";

export default function FilterSettings({ data, actions }: PageProps<"/[project]/settings/filters">) {
  const { project, filters, now, isOwner } = data;
  return (
    <main className="settings">
      <title>Filters · Holdfast</title>
      <meta name="description" content="Reports that are dropped before they are kept, and what is taken out." />
      <p>
        <Link to="/[project]/settings" params={{ project: project.id }}>
          Settings
        </Link>
      </p>
      <h1>Filters of {project.name}</h1>
      <Filters filters={filters} now={now} actions={isOwner ? actions : undefined} />
      {data.scrubRules && (
        <ScrubRules rules={data.scrubRules} trial={actions.trial} actions={isOwner ? actions : undefined} />
      )}
    </main>
  );
}
