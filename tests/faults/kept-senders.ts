import { createHash } from "node:crypto";
import { request } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { hasCode } from "#errors";

/** One order, as its visitor sends it and as the network treats it. */
export interface Order {
  number: number;
  key: string;
  how: "succeeds" | "throws" | "late";
  before: number;
  after: number;
  text: string;
  /** The content of a file that is sent along. */
  file: string | undefined;
  /** When its connection is cut: after a part of the request, or after the request or in the response. */
  cut: { during: "posting"; share: number } | { during: "answering"; ms: number } | undefined;
  /** Sends everything twice at once. */
  isDoubled: boolean;
  /** Does not look after an order whose answer was lost. */
  leaves: boolean;
}

/** What its visitor knows in the end. */
export type Told =
  | { kind: "done" }
  | { kind: "kept"; code: string }
  /** Nothing of it was done, and it is not kept. */
  | { kind: "refused" }
  | { kind: "nothing" };

export function hashOf({ text, file = "", number }: Order): string {
  return createHash("sha256")
    .update([text, file, customerOf(text, number)].join())
    .digest("hex");
}

const customerOf = (text: string, number: number): string => `${text}-customer-${number}`;

/** What a lost or slow answer costs a visitor's patience; then they leave. */
const patience = { answerMs: 4_000, tries: 25, pauseMs: 150 };

/** Sends an order until its visitor knows what became of it, or leaves. */
export async function sendOrder(url: string, order: Order): Promise<Told> {
  let attempt = 1;
  let cut = order.cut;
  let isRefused = false;
  for (let tries = 0; tries < patience.tries; tries++) {
    const posts = Array.from({ length: order.isDoubled ? 2 : 1 }, () => post(url, order, attempt, cut));
    const answer = (await Promise.all(posts)).reduce((one, other) =>
      one.kind === "lost" || one.kind === "away" ? other : one,
    );
    if (answer.kind === "away") {
      // Nothing was sent: the browser tries again.
      tries -= 1;
      await wait(patience.pauseMs);
      continue;
    }
    cut = undefined;
    isRefused = answer.kind === "refused";
    if (answer.kind === "done" || answer.kind === "kept") return answer;
    if (answer.kind === "lost" && order.leaves) return { kind: "nothing" };
    // It has not run, or the server cannot say: the visitor presses the button again.
    if (answer.kind === "refused" || answer.kind === "unknown") attempt += 1;
    await wait(patience.pauseMs);
  }
  return { kind: isRefused ? "refused" : "nothing" };
}

type Answer = Told | { kind: "lost" } | { kind: "away" } | { kind: "unknown" } | { kind: "running" };

async function post(url: string, order: Order, attempt: number, cut: Order["cut"]): Promise<Answer> {
  const body = bodyOf(order, attempt);
  const headers = {
    "content-type": "multipart/form-data; boundary=x",
    "content-length": body.length,
    customer: customerOf(order.text, order.number),
  };
  const { promise, resolve } = Promise.withResolvers<Answer>();
  // On a separate connection each time, so that workers take turns.
  const sending = request(`${url}/_action/order/_data`, { method: "POST", headers, agent: false });
  sending.setTimeout(patience.answerMs, () => sending.destroy());
  sending.on("error", (error) => resolve({ kind: hasCode(error, "ECONNREFUSED") ? "away" : "lost" }));
  sending.on("close", () => resolve({ kind: "lost" }));
  sending.on("response", (response) => {
    let text = "";
    response.setEncoding("utf8").on("data", (piece) => {
      text += piece;
    });
    response.on("error", () => resolve({ kind: "lost" }));
    response.on("end", () => resolve(read(text)));
  });
  if (cut?.during === "posting") {
    sending.write(body.subarray(0, Math.floor(body.length * cut.share)), () => sending.destroy());
    return promise;
  }
  sending.end(body);
  if (cut) setTimeout(() => sending.destroy(), cut.ms);
  return promise;
}

function bodyOf(order: Order, attempt: number): Buffer {
  const { key, number, how, before, after, text, file } = order;
  const fields = { _form: "order 1", _key: key, _attempt: attempt, number, how, before, after, text };
  const head = (disposition: string): string => `--x\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`;
  const parts = Object.entries(fields).map(([name, value]) => `${head(`name="${name}"`)}${value}\r\n`);
  if (file !== undefined) parts.push(`${head('name="file"; filename="order.txt"')}${file}\r\n`);
  return Buffer.from(`${parts.join("")}--x--\r\n`);
}

function read(text: string): Answer {
  const outcome = outcomeIn(text);
  if (outcome.kind === "done") return { kind: "done" };
  if (outcome.kept === true) return { kind: "kept", code: String(outcome.digest) };
  if (outcome.why === "unknown") return { kind: "unknown" };
  if (outcome.why === "still-running") return { kind: "running" };
  if (outcome.why === "no-memory" || outcome.why === "not-received") return { kind: "refused" };
  if (outcome.kind === "failed" && /nothing of it was done/.test(String(outcome.message))) return { kind: "refused" };
  return { kind: "lost" };
}

/** The second line of page data. Anything else comes from a server that is overloaded or ends. */
function outcomeIn(text: string): Record<string, unknown> {
  try {
    const line: unknown = JSON.parse(text.split("\n")[1] ?? "");
    return (line as { outcome?: Record<string, unknown> }).outcome ?? {};
  } catch {
    return {};
  }
}
