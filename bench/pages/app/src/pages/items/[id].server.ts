import { load, notFound } from "holdfast/server";
import { findItem } from "../../server/items.ts";

export const data = load("/items/[id]", ({ params }) => ({ item: findItem(params.id) ?? notFound() }));
