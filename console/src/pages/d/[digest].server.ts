import { load, notFound, redirect } from "holdfast/server";
import { findEvent } from "../../server/find-event.ts";
import { personOf } from "../../server/scope.ts";
import { whenFiled } from "../../server/when-filed.ts";

export const data = load("/d/[digest]", async ({ locals, params, url }) => {
  const person = personOf(locals, url);
  const place = await whenFiled(() => findEvent(person, params.digest));
  return place ? redirect("/[project]/events/[id]", place) : notFound();
});
