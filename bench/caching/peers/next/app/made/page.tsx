import { Items } from "../../items";
import { listItems } from "../../list-items";

export default function Page() {
  return <Items items={listItems()} />;
}
