/** What several processes of one application tell each other about starting and ending. */

/** Whether a build may take traffic. */
export type GateVerdict = { kind: "open" } | { kind: "stopped"; why: string };

/** What the parent tells a worker: a signal that it got itself, or that another worker has taken its place. */
export type ParentMessage = "SIGINT" | "SIGTERM" | "replaced";

/** A worker sends it when it can receive signals: a message without a listener is lost. */
export const listensToSignals = "listens-to-signals";

/** A worker sends it when only the gate is left before it takes traffic. The answer is a `GateMessage`. */
export const asksGate = "asks-gate";

export interface GateMessage {
  gate: GateVerdict;
}

export function isGateMessage(message: unknown): message is GateMessage {
  return typeof message === "object" && message !== null && "gate" in message;
}

/** A worker sends it when its server cannot start. The parent prints it, because others may say the same. */
export interface FailedMessage {
  cannotStart: string;
}

export function isFailedMessage(message: unknown): message is FailedMessage {
  return typeof message === "object" && message !== null && "cannotStart" in message;
}

/** A worker sends it when its server has started. */
export const hasStarted = "has-started";
