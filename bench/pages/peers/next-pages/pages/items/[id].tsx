import type { GetServerSidePropsContext } from "next";
import { findItem } from "../../shared/items";

export function getServerSideProps({ params }: GetServerSidePropsContext) {
  const item = findItem(String(params?.id));
  return item ? { props: { item } } : { notFound: true };
}

export { ItemArticle as default } from "../../shared/pages";
