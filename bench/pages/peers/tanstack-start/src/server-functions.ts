import { notFound } from "@tanstack/react-router";
import { createServerFn } from "@tanstack/react-start";
import { findItem, listItems } from "./shared/items";

export const loadItems = createServerFn().handler(() => listItems());

export const loadItem = createServerFn()
  .validator((id: string) => id)
  .handler(({ data }) => {
    const item = findItem(data);
    if (!item) throw notFound();
    return item;
  });
