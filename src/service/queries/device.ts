import type { ReportedEvent } from "#protocol";
import { browserOfAgent } from "../intake/user-agent.ts";

/** Names browser and system of an event, for example `Firefox 144 on Android`. Undefined for an event of a server. */
export function deviceOf({ contexts, tags, request }: ReportedEvent): string | undefined {
  const { browser, os, device } = contexts;
  const agent = Object.entries(request?.headers ?? {}).find(([name]) => name.toLowerCase() === "user-agent")?.[1];
  const [agentBrowser, agentSystem] = typeof agent === "string" ? readAgent(agent) : [];
  const name = versioned(browser) ?? textOf(tags.browser) ?? agentBrowser;
  const system = [textOf(device?.model) ?? textOf(device?.family), versioned(os) ?? agentSystem];
  const place = system.filter((part) => part !== undefined).join(", ");
  if (name === undefined) return isOfBrowser(contexts) && place !== "" ? place : undefined;
  return place === "" ? name : `${name} on ${place}`;
}

/** Servers report their own system. */
function isOfBrowser({ runtime }: ReportedEvent["contexts"]): boolean {
  return runtime === undefined;
}

function versioned(named: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const name = textOf(named?.name);
  const version = textOf(named?.version)?.split(".", 1)[0];
  return name === undefined || version === undefined ? name : `${name} ${version}`;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim().slice(0, 60) : undefined;
}

const systems: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["Android", /\bAndroid\b/],
  ["iOS", /\b(?:iPhone|iPad)\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMac OS X\b/],
  ["Linux", /\bLinux\b/],
];

function readAgent(agent: string): [browser: string | undefined, system: string | undefined] {
  const text = agent.slice(0, 500);
  const browser = browserOfAgent(text);
  return [browser && `${browser.name} ${browser.version}`, systems.find(([, pattern]) => pattern.test(text))?.[0]];
}
