import { Items } from "../parts/items.tsx";

export default function Cached({ data }: PageProps<"/cached">) {
  return <Items items={data.items} />;
}
