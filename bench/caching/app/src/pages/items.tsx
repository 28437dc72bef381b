import { Items } from "../parts/items.tsx";

export default function Rendered({ data }: PageProps<"/items">) {
  return <Items items={data.items} />;
}
