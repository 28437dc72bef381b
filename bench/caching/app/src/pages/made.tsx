import { Items } from "../parts/items.tsx";

export default function Made({ data }: PageProps<"/made">) {
  return <Items items={data.items} />;
}
