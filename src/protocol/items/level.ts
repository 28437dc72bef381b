export type EventLevel = "fatal" | "error" | "warning" | "info" | "debug";

/** Reads a level by name, by the names of other languages, or by the numbers of old clients. */
export function readLevel(value: unknown): EventLevel | undefined {
  switch (typeof value === "string" ? value.toLowerCase() : value) {
    case "fatal":
    case "critical":
    case "alert":
    case "emergency":
    case "panic":
    case 50:
      return "fatal";
    case "error":
    case 40:
      return "error";
    case "warning":
    case "warn":
    case 30:
      return "warning";
    case "info":
    case "information":
    case "notice":
    case "log":
    case 20:
      return "info";
    case "debug":
    case "trace":
    case "verbose":
    case 10:
      return "debug";
    default:
      return undefined;
  }
}
