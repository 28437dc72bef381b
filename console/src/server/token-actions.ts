import { forbidden, invalid } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { numbersIn, textIn } from "./posted.ts";
import type { Said } from "./said.ts";
import { needs, type Scope } from "./scope.ts";

type TokensApi = ReturnType<typeof consoleApi>["tokens"];
type TokenOwner = Parameters<TokensApi["list"]>[0];

const dayMs = 86_400_000;

/** Names and scopes are longer only in requests that no form sends. */
const longestField = 200;

export async function tokensOf(owner: TokenOwner) {
  const tokens = await consoleApi().tokens.list(owner);
  return tokens.map(({ id, name, scopes, created, expires, used }) => ({ id, name, scopes, created, expires, used }));
}

export function changeProjectTokens(scope: Scope, form: FormData): Promise<Said> {
  needs(scope, "owner");
  return changeTokens({ kind: "project", project: scope.project.id }, form, scope.person.name);
}

/** Everyone has their own tokens: they permit no more than the person's roles. */
export function changeOwnTokens({ person }: Scope, form: FormData): Promise<Said> {
  return changeTokens(ownTokens(person), form, person.name);
}

/** Refused where people have no account here. */
export function ownTokens({ name }: { name: string }): TokenOwner {
  return consoleApi().access.kind === "accounts" ? { kind: "person", email: name } : forbidden();
}

async function changeTokens(owner: TokenOwner, form: FormData, by: string): Promise<Said> {
  const { tokens } = consoleApi();
  switch (textIn(form, "do")) {
    case "create": {
      const name = textIn(form, "name", longestField);
      const created = await tokens.create(owner, { name, scopes: scopesIn(form), expires: expiryIn(form) }, by);
      if (created.kind === "refused") return invalid({ name: created.why });
      return { said: `This is the token ${created.token.name}. It is shown only now.`, secret: created.secret };
    }
    case "revoke": {
      const [id = 0] = numbersIn(form, "id");
      if (!(await tokens.revoke(owner, id, by))) invalid({ "": "That token was revoked already." });
      return { said: "That token is refused from now on." };
    }
    default:
      return invalid({ "": "There is nothing of that name to do." });
  }
}

function scopesIn(form: FormData): readonly string[] {
  return form
    .getAll("scope")
    .slice(0, 10)
    .map((scope) => String(scope).slice(0, longestField));
}

/** Undefined for a token that does not expire. */
function expiryIn(form: FormData): number | undefined {
  const days = Number(textIn(form, "days"));
  if (days === 0) return undefined;
  if (!Number.isSafeInteger(days) || days < 0 || days > 3_660) return invalid({ days: "From 1 day to 10 years." });
  return consoleApi().now() + days * dayMs;
}
