import type { AccountOperations, ApiSecondFactor } from "../operations/account-operations.ts";
import { identified, identifiedOwner, ok, owner, type RoutesOf, unknown } from "../route.ts";
import type { AsJson } from "../schema/as-json.ts";
import { type ApiSchema, anyText, flag, named, shape, text, time, union, whole, word } from "../schema/schema.ts";
import { accountsOf, inPerson, noAccounts } from "./people-of-api.ts";
import { listSchema } from "./shared-schemas.ts";

type AccountRoutes = RoutesOf<AccountOperations>;

const session = named(
  "Session",
  shape(
    {
      id: anyText("Names the session for its owner. It opens nothing."),
      began: time(),
      used: time("The last use, within five minutes."),
      isThis: flag({ description: "Whether this request was sent with it." }),
    },
    { device: anyText("For example `Firefox on Linux`."), network: anyText("For example `192.0.2.x`.") },
  ),
);

const isRequired = flag({ description: "The operator demands it of all people who sign in by a password." });

const secondFactor: ApiSchema<AsJson<ApiSecondFactor>> = named(
  "SecondFactor",
  union(shape({ kind: word("off"), isRequired }), shape({ kind: word("on"), recoveryCodesLeft: whole(), isRequired })),
);

/** The caller's own account. Passwords and codes are typed into the console alone. */
export const accountRoutes: AccountRoutes = {
  "PATCH /me": {
    summary: "Changes the name that others see. An empty one removes it.",
    needs: identifiedOwner,
    body: shape({ name: text({ max: 200 }) }),
    async handle({ api, person, body }) {
      const accounts = accountsOf(api);
      if (accounts === undefined) return noAccounts;
      const changed = await accounts.own.rename(person.name, body.name);
      return changed.kind === "changed" ? { kind: "done" } : { kind: "invalid", path: "/name", why: changed.why };
    },
  },

  "GET /me/sessions": {
    summary: "Own sessions in browsers, the last used first.",
    needs: identified,
    response: listSchema(session),
    async handle({ api, person, session: current }) {
      const accounts = accountsOf(api);
      if (accounts === undefined) return noAccounts;
      return ok({ items: await accounts.sessions.of(person.name, current) });
    },
  },

  "POST /me/sessions/end-others": {
    summary: "Ends own sessions, all but the one of this request.",
    needs: identifiedOwner,
    response: shape({ ended: whole() }),
    async handle({ api, person, session: current }) {
      const accounts = accountsOf(api);
      if (accounts === undefined) return noAccounts;
      return ok({ ended: await accounts.sessions.endOthers(person.name, current ?? "") });
    },
  },

  "DELETE /me/sessions/{session}": {
    summary: "Ends one own session. Its next request is refused.",
    needs: identifiedOwner,
    params: shape({ session: text({ min: 1, max: 100 }) }),
    async handle({ api, person, params }) {
      const accounts = accountsOf(api);
      if (accounts === undefined) return noAccounts;
      return (await accounts.sessions.endOne(person.name, params.session)) ? { kind: "done" } : unknown("session");
    },
  },

  "GET /me/second-factor": {
    summary: "Whether codes of an authenticator app protect the own account.",
    needs: identified,
    response: secondFactor,
    async handle({ api, person }) {
      const accounts = accountsOf(api);
      if (accounts === undefined) return noAccounts;
      const { isRequired: required } = accounts.secondFactor;
      return ok({ ...(await accounts.secondFactor.state(person.name)), isRequired: required });
    },
  },

  "POST /projects/{project}/people/{email}/end-sessions": {
    summary: "Signs a person of the project out of every browser.",
    needs: owner,
    params: inPerson,
    async handle({ api, person, params: { project, email } }) {
      if (api.signIn === undefined) return noAccounts;
      return (await api.signIn.endSessions(project, email, person.name)) ? { kind: "done" } : unknown("person");
    },
  },
};
