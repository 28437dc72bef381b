import { action, type Guard, load, redirect } from "holdfast/server";
import { session } from "../../server/session.ts";

export const guard: Guard = ({ locals }) => {
  if (!locals.visitor) redirect("/try/sign-in");
};

export const data = load("/try/guarded", ({ locals }) => ({ name: locals.visitor?.name ?? "" }));

export const actions = {
  signOut: action({}, ({ cookies }) => {
    session.clear(cookies);
    redirect("/try/sign-in");
  }),
};
