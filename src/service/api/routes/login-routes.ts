import type { LoginOperations } from "../operations/login-operations.ts";
import { type RoutesOf, unknown } from "../route.ts";
import { anyText, shape, text, time } from "../schema/schema.ts";

type LoginRoutes = RoutesOf<LoginOperations>;

/** For `holdfast login` and `logout`, which have no token yet, or none any more. */
export const loginRoutes: LoginRoutes = {
  "POST /logins": {
    summary: "Exchanges the code that a person has permitted in a browser for a token. Used by `holdfast login`.",
    needs: undefined,
    body: shape({ code: text({ min: 1, max: 100 }), verifier: text({ min: 1, max: 128 }) }),
    response: shape(
      { token: anyText("The token. It is in this response and nowhere else."), name: anyText() },
      { expires: time() },
    ),
    async handle({ api, body }) {
      const end = await api.tokens.finishLogin(body.code, body.verifier);
      if (end.kind === "unknown") return unknown("code");
      if (end.kind === "refused") return { kind: "conflict", why: end.why };
      const { name, expires } = end.token;
      return { kind: "created", body: { token: end.secret, name, expires } };
    },
  },

  "POST /logins/end": {
    summary: "Revokes the token that is sent. Every holder of a token may end it.",
    needs: undefined,
    body: shape({ token: text({ min: 1, max: 200 }) }),
    async handle({ api, body }) {
      const grant = await api.tokens.find(body.token);
      if (grant !== undefined) await api.tokens.revoke(grant.owner, grant.id, grant.person.name);
      return { kind: "done" };
    },
  },
};
