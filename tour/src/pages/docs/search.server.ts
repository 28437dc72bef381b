import { load } from "holdfast/server";
import { searchGuides } from "../../server/search-guides.ts";

export const data = load("/docs/search", ({ url }) => {
  const asked = (url.searchParams.get("q") ?? "").trim().slice(0, 200);
  return { asked, hits: searchGuides(asked) };
});
