import { createFileRoute } from "@tanstack/react-router";
import { AppLink } from "../link";
import { loadItems } from "../server-functions";
import { Items } from "../shared/pages";

export const Route = createFileRoute("/items/")({ loader: () => loadItems(), component: Page });

function Page() {
  return <Items Link={AppLink} items={Route.useLoaderData()} />;
}
