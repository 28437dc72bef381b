import { useLoaderData } from "react-router";
import { AppLink } from "../link";
import { listItems } from "../shared/items";
import { Items } from "../shared/pages";

export const loader = () => ({ items: listItems() });

export default function Page() {
  return <Items Link={AppLink} items={useLoaderData<typeof loader>().items} />;
}
