import { AppLink } from "../../link";
import { type ItemSummary, listItems } from "../../shared/items";
import { Items } from "../../shared/pages";

export const getServerSideProps = () => ({ props: { items: listItems() } });

export default function Page({ items }: { items: readonly ItemSummary[] }) {
  return <Items Link={AppLink} items={items} />;
}
