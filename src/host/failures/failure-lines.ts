import type { Failure } from "./failure.ts";

/**
 * Formats a failure for the terminal: error, position, source line, link to the console. At most five lines, so that
 * the previous failure stays on the screen.
 */
export function failureLines(failure: Failure, console: string | undefined): string[] {
  const { excerpt, digest, message } = failure;
  const failing = excerpt?.lines.find(({ number }) => number === excerpt.line);
  return [
    `✗ ${headline(failure)}`,
    `  ${message.split("\n", 1)[0] ?? ""}`,
    excerpt && `  ${excerpt.file}:${excerpt.line}:${excerpt.column}`,
    failing && `  ${failing.number} | ${failing.text.trim()}`,
    digest && console && `  ${console}/d/${digest}`,
  ].filter((line): line is string => line !== undefined && line !== "");
}

/** `TypeError in the load of /orders/[id], on the server`. */
export function headline({ kind, name, during, route }: Failure): string {
  if (kind === "compile") return name;
  const step = during === undefined ? "" : ` ${steps[during] ?? `during ${during}`}`;
  const where = route === undefined ? "" : during === "render" || during === "hydration" ? ` ${route}` : ` of ${route}`;
  return `${name}${step}${where}, ${kind === "browser" ? "in the browser" : "on the server"}`;
}

const steps: Readonly<Record<string, string>> = {
  "request-hook": "in src/request.server.ts",
  guard: "in the guard",
  load: "in the load",
  action: "in an action",
  api: "in the API route",
  render: "while rendering",
  "late-data": "in late data",
  "error-page": "in the error page",
  "not-found-page": "in the not-found page",
  navigation: "during a navigation",
  event: "in an event handler",
  hydration: "while hydrating",
  after: "after the response",
  start: "in onStart of src/lifecycle.server.ts",
  stop: "in onStop of src/lifecycle.server.ts",
};
