/**
 * Purpose of a request's path. The path contains the project, except in the oldest form, where only the key identifies
 * it.
 */
export type Address =
  | { kind: "envelope"; project: number }
  | { kind: "store"; project: number | undefined }
  | { kind: "security-report"; project: number }
  | { kind: "check-in"; project: number; monitor: string; publicKey: string | undefined }
  | { kind: "otlp-traces"; project: number }
  | { kind: "otlp-logs"; project: number }
  /** Below `/api/`, but not offered. */
  | { kind: "unknown" };

/** Parses a path without its query. Returns undefined if it is not an address of the service. */
export function readAddress(path: string): Address | undefined {
  if (!path.startsWith("/api/")) return undefined;
  // Fast path for nearly every request: matches without splitting the path.
  const envelope = /^\/api\/([1-9]\d{0,8})\/envelope\/?$/.exec(path);
  if (envelope !== null) return { kind: "envelope", project: Number(envelope[1]) };
  const parts = path.split("/").filter((part) => part !== "");
  if (parts.length === 2 && parts[1] === "store") return { kind: "store", project: undefined };
  const project = readProject(parts[1]);
  return project === undefined ? { kind: "unknown" } : addressIn(project, parts.slice(2));
}

function addressIn(project: number, rest: readonly string[]): Address {
  const [what, monitor, publicKey] = rest;
  switch (rest.join("/")) {
    case "store":
      return { kind: "store", project };
    case "security":
    case "csp-report":
      return { kind: "security-report", project };
    case "integration/otlp/v1/traces":
      return { kind: "otlp-traces", project };
    case "integration/otlp/v1/logs":
      return { kind: "otlp-logs", project };
  }
  if (what === "cron" && monitor !== undefined && rest.length <= 3)
    return { kind: "check-in", project, monitor, publicKey };
  return { kind: "unknown" };
}

function readProject(part: string | undefined): number | undefined {
  return part !== undefined && /^[1-9]\d{0,8}$/.test(part) ? Number(part) : undefined;
}
