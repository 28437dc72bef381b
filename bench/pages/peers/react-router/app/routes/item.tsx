import { data, useLoaderData } from "react-router";
import { findItem } from "../shared/items";
import { ItemArticle } from "../shared/pages";

export function loader({ params }: { params: { id: string } }) {
  const item = findItem(params.id);
  if (!item) throw data(null, { status: 404 });
  return { item };
}

export default function Page() {
  return <ItemArticle item={useLoaderData<typeof loader>().item} />;
}
