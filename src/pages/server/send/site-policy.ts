import type { ChangedHeaders } from "#http";
import { bootScript } from "../boot-script.ts";
import type { Site } from "../site.ts";
import { configuredChanges, type Visit } from "../visit.ts";
import { withPolicy } from "./document-policy.ts";
import { createCspWriter, sha256, type WriteCsp } from "./security-headers.ts";

/** The constant part of the policy of documents, and of what belongs to it. */
export interface SitePolicy {
  write: WriteCsp;
  boot: string;
  headStart: string;
  entryLink: readonly string[];
}

const policies = new WeakMap<Site, SitePolicy>();

/** Created once for a site. */
export function policyOf(site: Site): SitePolicy {
  let policy = policies.get(site);
  if (!policy) {
    const { assets } = site.application.parts;
    policy = {
      write: createCspWriter(site.policy),
      boot: [false, true].map((hasForms) => scriptHash(bootScript(assets, hasForms, "hash"))).join(" "),
      headStart: site.headStart && ` ${scriptHash(site.headStart)}`,
      entryLink: linkTo(assets.entry),
    };
    policies.set(site, policy);
  }
  return policy;
}

export function scriptHash(script: string): string {
  return `'sha256-${sha256(script)}'`;
}

/** The policy that allows the scripts with these hashes. */
export function hashPolicyOf(site: Site, scripts: string): string {
  const { write, headStart } = policyOf(site);
  return write(scripts + headStart);
}

/** Adds the policy of a document whose scripts are allowed by their hashes, and then what belongs to it. */
export function withHashPolicy(visit: LinkedVisit, headers: readonly string[], scripts: string): string[] {
  return [...withPolicy(headers, hashPolicyOf(visit.site, scripts)), ...entryLinkOf(visit)];
}

/** `last`: what response hooks changed. */
export interface LinkedVisit extends Pick<Visit, "site" | "request"> {
  readonly last?: ChangedHeaders | undefined;
}

/**
 * The `Link` of a document whose policy has hashes. One that the application sets elsewhere is sent beside it: a font
 * to preload should not cost the code. A response hook sees both, so that it replaces both.
 */
export function entryLinkOf({ site, request, last }: LinkedVisit): readonly string[] {
  const isRemoved =
    last?.has("link") || removesLink(request.chosen?.headers) || removesLink(configuredChanges(site, request));
  return isRemoved ? [] : policyOf(site).entryLink;
}

function removesLink(changes: ChangedHeaders | undefined): boolean {
  const change = changes?.get("link");
  return change !== undefined && change.value === undefined;
}

/**
 * Requests the entry of a document whose policy has hashes, as its `modulepreload` does. Browsers follow this header
 * before they parse the document; of the elements, Chromium's preload scanner skips scripts without a nonce.
 */
function linkTo(entry: string): string[] {
  const address = entry.replace(/[^!-~]|[<>]/gu, encodeURIComponent);
  return ["Link", `<${address}>; rel=modulepreload; fetchpriority=low`];
}
