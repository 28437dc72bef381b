import { createFileRoute } from "@tanstack/react-router";
import { loadItem } from "../server-functions";
import { ItemArticle } from "../shared/pages";

export const Route = createFileRoute("/items/$id")({
  loader: ({ params }) => loadItem({ data: params.id }),
  component: Page,
});

function Page() {
  return <ItemArticle item={Route.useLoaderData()} />;
}
