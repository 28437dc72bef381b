import { Items } from "../../items";
import { listItems } from "../../list-items";

/** Incremental static regeneration: as long as the cached page of Holdfast is fresh. */
export const revalidate = 3600;

export default function Page() {
  return <Items items={listItems()} />;
}
