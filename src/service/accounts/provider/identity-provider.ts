import type * as OpenIdClient from "openid-client";
import { sourceOf, TokenBuckets } from "#bounds";
import { messageOf } from "#errors";
import type { Clock } from "../../clock.ts";
import type { Applicant } from "../applicant.ts";
import type { AccountLimits } from "../limits.ts";
import { type ProviderIdentity, readIdentity } from "./identity.ts";
import { type PendingSignIn, readPending, writePending } from "./pending-sign-in.ts";
import type { ProviderSettings } from "./sign-in-settings.ts";

export type BegunSignIn =
  /** The browser goes to `address` and stores `pending` until it comes back. */
  { kind: "begun"; address: string; pending: string } | ProviderProblem;

export type Identification =
  | { kind: "identified"; identity: ProviderIdentity; to: string | undefined }
  | ProviderProblem;

export type ProviderProblem =
  /** It does not answer, or not as a provider does. */
  | { kind: "unavailable" }
  /** The person or the provider said no. */
  | { kind: "denied" }
  /** The answer belongs to no sign-in that this browser began, or was used before. */
  | { kind: "refused" }
  /** The clocks of provider and service differ. */
  | { kind: "clock" }
  /** The provider told no e-mail address, or one that it has not verified. */
  | { kind: "no-email" }
  /** This client began too many sign-ins. */
  | { kind: "wait"; seconds: number };

export interface IdentityProviderDeps {
  readonly settings: ProviderSettings;
  readonly clock: Clock;
  readonly limits: Pick<AccountLimits, "triesBurst" | "triesPerSecond">;
  /** Gets the reason of each refusal for the operator. */
  readonly log: (text: string) => void;
  readonly fetch?: OpenIdClient.CustomFetch;
  readonly load?: () => Promise<typeof OpenIdClient>;
}

/** The provider's clock may differ by this much. Machines with NTP differ by less than a second. */
const toleranceSeconds = 60;
/** A person waits for it. */
const timeoutSeconds = 10;
/** Each sign-in asks for the addresses of the provider. Its end, a moment later, need not. */
const metadataMs = 600_000;

/** Signs people in by OpenID Connect: authorization code with PKCE. Asks the provider only when it is needed. */
export class IdentityProvider {
  readonly #deps: IdentityProviderDeps;
  readonly #tries: TokenBuckets;
  #known: { at: number; metadata: Promise<OpenIdClient.ServerMetadata> } | undefined;

  constructor(deps: IdentityProviderDeps) {
    this.#deps = deps;
    this.#tries = new TokenBuckets(deps.limits.triesBurst, deps.limits.triesPerSecond);
  }

  get name(): string {
    return this.#deps.settings.name;
  }

  get settings(): ProviderSettings {
    return this.#deps.settings;
  }

  /** `back` is the address of this console to which the provider returns the browser. */
  async begin(back: URL, to: string | undefined, from: Applicant): Promise<BegunSignIn> {
    const seconds = this.#waitFor("begin", from);
    if (seconds > 0) return { kind: "wait", seconds };
    try {
      const client = await this.#load();
      // A provider that is away is noticed here, and not by a person who was sent there.
      this.#known = undefined;
      const configuration = await this.#configuration(client);
      const pending: PendingSignIn = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
        to,
      };
      const address = client.buildAuthorizationUrl(configuration, {
        redirect_uri: back.href,
        scope: this.#deps.settings.scopes,
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: "S256",
      });
      return { kind: "begun", address: address.href, pending: writePending(pending) };
    } catch (error) {
      return this.#problemOf(error);
    }
  }

  /** `returned` is the address with which the browser came back, `stored` the text that it stored. */
  async finish(returned: URL, stored: string | undefined, from: Applicant): Promise<Identification> {
    const pending = readPending(stored);
    if (pending === undefined) return { kind: "refused" };
    const seconds = this.#waitFor("finish", from);
    if (seconds > 0) return { kind: "wait", seconds };
    try {
      const client = await this.#load();
      const configuration = await this.#configuration(client);
      const tokens = await client.authorizationCodeGrant(configuration, returned, {
        expectedState: pending.state,
        expectedNonce: pending.nonce,
        pkceCodeVerifier: pending.verifier,
        idTokenExpected: true,
      });
      const claims: Record<string, unknown> & { sub?: string; iat?: number } = tokens.claims() ?? {};
      if ((claims.iat ?? 0) > this.#deps.clock.now() / 1_000 + toleranceSeconds) return this.#clockDiffers();
      const { groupsClaim } = this.#deps.settings;
      const isComplete = claims.email !== undefined && claims[groupsClaim] !== undefined;
      const told =
        isComplete || configuration.serverMetadata().userinfo_endpoint === undefined
          ? {}
          : await client.fetchUserInfo(configuration, tokens.access_token, claims.sub ?? "");
      const identity = readIdentity({ ...told, ...claims }, groupsClaim);
      if (identity !== undefined) return { kind: "identified", identity, to: pending.to };
      this.#deps.log(`${this.name} told no verified e-mail address of ${claims.sub}.`);
      return { kind: "no-email" };
    } catch (error) {
      return this.#problemOf(error);
    }
  }

  /** Where a person also signs out of the provider. Undefined if it has no such address, or does not answer. */
  async endSessionAddress(back: URL): Promise<string | undefined> {
    try {
      const client = await this.#load();
      const configuration = await this.#configuration(client);
      if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
      return client.buildEndSessionUrl(configuration, { post_logout_redirect_uri: back.href }).href;
    } catch (error) {
      this.#problemOf(error);
      return undefined;
    }
  }

  /** Each step asks the provider. A client that repeats it must not flood it through this service. */
  #waitFor(step: string, { address }: Applicant): number {
    return this.#tries.take(`${step} ${sourceOf(address)}`, this.#deps.clock.elapsed());
  }

  #load(): Promise<typeof OpenIdClient> {
    return this.#deps.load?.() ?? loadOpenIdClient();
  }

  /** New for each sign-in, with no keys in it yet: a key that was replaced since the last one is known. */
  async #configuration(client: typeof OpenIdClient): Promise<OpenIdClient.Configuration> {
    const { settings, clock, fetch } = this.#deps;
    const metadata = await this.#metadata(client);
    const { clientId, clientSecret, issuer } = settings;
    const configuration = new client.Configuration(
      metadata,
      clientId,
      {
        [client.clockSkew]: (clock.now() - Date.now()) / 1_000,
        [client.clockTolerance]: toleranceSeconds,
      },
      clientSecret === undefined ? client.None() : authOf(client, clientSecret, settings.clientAuth, metadata),
    );
    configuration.timeout = timeoutSeconds;
    if (fetch) configuration[client.customFetch] = fetch;
    if (issuer.protocol === "http:") client.allowInsecureRequests(configuration);
    // Checks the signature too, and not only that the token came from the provider's address.
    client.enableNonRepudiationChecks(configuration);
    return configuration;
  }

  #metadata(client: typeof OpenIdClient): Promise<OpenIdClient.ServerMetadata> {
    const now = this.#deps.clock.elapsed();
    if (this.#known !== undefined && now - this.#known.at < metadataMs) return this.#known.metadata;
    const { settings, fetch } = this.#deps;
    const metadata = client
      .discovery(settings.issuer, settings.clientId, undefined, undefined, {
        timeout: timeoutSeconds,
        execute: settings.issuer.protocol === "http:" ? [client.allowInsecureRequests] : [],
        ...(fetch && { [client.customFetch]: fetch }),
      })
      .then((configuration) => configuration.serverMetadata());
    const known = { at: now, metadata };
    this.#known = known;
    // The next sign-in asks again.
    metadata.catch(() => {
      if (this.#known === known) this.#known = undefined;
    });
    return metadata;
  }

  #clockDiffers(): ProviderProblem {
    this.#deps.log(`The clocks of ${this.name} and of this machine differ by more than ${toleranceSeconds} s.`);
    return { kind: "clock" };
  }

  #problemOf(error: unknown): ProviderProblem {
    const { code, error: said, status } = fieldsOf(error);
    if (code === "OAUTH_JWT_TIMESTAMP_CHECK_FAILED") return this.#clockDiffers();
    const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : "";
    const kind = said === "access_denied" ? "denied" : isAway(code, status) ? "unavailable" : "refused";
    const what = typeof said === "string" ? `${messageOf(error)}: ${said}` : messageOf(error);
    this.#deps.log(`Signing in by ${this.name} failed, ${kind}: ${what}${cause}`.slice(0, 500));
    return { kind };
  }
}

function authOf(
  client: typeof OpenIdClient,
  secret: string,
  wanted: ProviderSettings["clientAuth"],
  { token_endpoint_auth_methods_supported: supported = ["client_secret_basic"] }: OpenIdClient.ServerMetadata,
): OpenIdClient.ClientAuth {
  const kind = wanted ?? (supported.includes("client_secret_basic") ? "basic" : "post");
  return kind === "basic" ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret);
}

/** An error of the network has no code of the protocol, and one of a proxy no JSON. */
const awayCodes = new Set<unknown>(["OAUTH_TIMEOUT", "OAUTH_RESPONSE_IS_NOT_CONFORM", "OAUTH_RESPONSE_IS_NOT_JSON"]);

function isAway(code: unknown, status: unknown): boolean {
  return code === undefined || awayCodes.has(code) || (typeof status === "number" && status >= 500);
}

function fieldsOf(error: unknown): Readonly<Record<"code" | "error" | "status", unknown>> {
  const { code, error: said, status } = error as Readonly<Record<string, unknown>>;
  return { code, error: said, status };
}

/** Only services with a provider need the package. The name is a value, so that no bundler follows. */
async function loadOpenIdClient(): Promise<typeof OpenIdClient> {
  const name: string = "openid-client";
  return (await import(name)) as typeof OpenIdClient;
}
