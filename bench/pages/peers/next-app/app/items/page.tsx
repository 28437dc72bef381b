import { LinkedItems } from "../../linked";
import { listItems } from "../../shared/items";

export default function Page() {
  return <LinkedItems items={listItems()} />;
}
