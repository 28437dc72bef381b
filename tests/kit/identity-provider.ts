import { generateKeyPairSync, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Claims of people by the name with which they sign in at the provider. Tests change them. */
export type People = Record<string, Readonly<Record<string, unknown>>>;

export interface TestIdentityProvider {
  readonly issuer: string;
  readonly people: People;
  /** From now on it signs with another key, and publishes only that one. */
  rotateKeys(): void;
  /** Answers 503 until it is called with false. */
  fail(fails: boolean): void;
  /** Signs a person in like a browser does, and returns the address to which the browser is sent back. */
  signIn(address: string, person: string): Promise<URL>;
  [Symbol.asyncDispose](): Promise<void>;
}

interface Provider {
  Client: {
    prototype: { redirectUriAllowed(uri: string): boolean; postLogoutRedirectUriAllowed(uri: string): boolean };
  };
  callback(): (request: IncomingMessage, response: ServerResponse) => void;
  Grant: new (of: object) => { addOIDCScope(scopes: string): void; save(): Promise<unknown> };
}

type Interaction = { oidc: { client: { clientId: string }; session: { accountId: string }; provider: Provider } };

const scopes = "openid email profile groups";

/** Starts `oidc-provider` on this machine, with the clients `holdfast` and `other`, which may be at any port. */
export async function startIdentityProvider(): Promise<TestIdentityProvider> {
  // It has no types, so its name is a value.
  const name: string = "oidc-provider";
  const { default: OidcProvider } = (await import(name)) as { default: new (issuer: string, of: object) => Provider };
  const people: People = {};
  let isDown = false;
  let current: ReturnType<Provider["callback"]>;
  const server = createServer((request, response) => {
    if (isDown) response.writeHead(503).end("down");
    else current(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = (id: string) => ({
    client_id: id,
    client_secret: `secret-of-${id}`,
    redirect_uris: ["http://127.0.0.1/_holdfast/sign-in/back"],
  });
  const open = (): ReturnType<Provider["callback"]> => {
    const provider = new OidcProvider(issuer, {
      clients: [client("holdfast"), client("other")],
      cookies: { keys: ["a key for cookies"] },
      jwks: { keys: [newKey()] },
      scopes: scopes.split(" "),
      claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
      findAccount: (_context: unknown, id: string) => ({
        accountId: id,
        claims: () => ({ sub: id, ...people[id] }),
      }),
      loadExistingGrant: async ({ oidc }: Interaction) => {
        const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
        grant.addOIDCScope(scopes);
        await grant.save();
        return grant;
      },
    });
    provider.Client.prototype.redirectUriAllowed = (uri) => new URL(uri).pathname === "/_holdfast/sign-in/back";
    provider.Client.prototype.postLogoutRedirectUriAllowed = (uri) => new URL(uri).pathname === "/_holdfast/sign-in";
    return provider.callback();
  };
  current = open();
  return {
    issuer,
    people,
    rotateKeys: () => {
      current = open();
    },
    fail: (fails) => {
      isDown = fails;
    },
    signIn: (address, person) => walk(issuer, address, person),
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function newKey(): object {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  return { ...privateKey.export({ format: "jwk" }), kid: randomBytes(6).toString("hex"), use: "sig", alg: "RS256" };
}

/** Follows redirects, and fills the provider's form, until the browser leaves the provider. */
async function walk(issuer: string, address: string, person: string): Promise<URL> {
  const jar = new Map<string, string>();
  let next = new URL(address);
  let form: URLSearchParams | undefined;
  for (let step = 0; step < 10; step += 1) {
    if (next.origin !== issuer) return next;
    const response = await fetch(next, {
      redirect: "manual",
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(form && { method: "POST", body: form }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "") jar.delete(name);
      else jar.set(name, value);
    }
    const location = response.headers.get("location");
    const html = await response.text();
    form = undefined;
    if (location !== null) {
      next = new URL(location, next);
      continue;
    }
    const action = /<form[^>]+action="([^"]+)"/.exec(html)?.[1];
    if (action === undefined) throw new Error(`The provider answered ${response.status}: ${html.slice(0, 300)}`);
    next = new URL(action, next);
    form = new URLSearchParams({ prompt: "login", login: person, password: "any" });
  }
  throw new Error("The provider does not send the browser back.");
}
