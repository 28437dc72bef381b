import { action, invalid, redirect } from "holdfast/server";
import { session } from "../../server/session.ts";

export const actions = {
  signIn: action({}, ({ input, cookies }) => {
    const name = input instanceof FormData ? String(input.get("name") ?? "").trim() : "";
    if (name === "" || name.length > 40) invalid({ name: "Say a name of up to 40 characters." });
    session.write(cookies, { name });
    redirect("/try/guarded");
  }),
};
