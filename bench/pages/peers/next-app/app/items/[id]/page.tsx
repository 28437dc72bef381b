import { notFound } from "next/navigation";
import { findItem } from "../../../shared/items";
import { ItemArticle } from "../../../shared/pages";

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <ItemArticle item={findItem(id) ?? notFound()} />;
}
