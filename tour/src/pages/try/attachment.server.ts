import { digestOf, jsonItem, newEventId, writeEnvelope } from "holdfast/protocol";
import { action, load } from "holdfast/server";

const priceList = `# fetched with password=correct-horse
lamp,
rope,1250
`;

export const data = load("/try/attachment", () => ({ priceList }));

export const actions = {
  import: action({}, async ({ url, signal }) => {
    try {
      return { products: readPrices(priceList).length };
    } catch (error) {
      return { digest: await reportWithFile(error, new URL("/_holdfast/post", url), signal) };
    }
  }),
};

function readPrices(list: string): [name: string, cents: number][] {
  const lines = list.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return lines.map((line) => {
    const [name = "", cents = ""] = line.split(",");
    if (cents === "") throw new RangeError(`The price list has no price for ${name}.`);
    return [name, Number(cents)];
  });
}

/** An event and a file in one envelope, as any Sentry client sends them. Returns the digest of the event. */
async function reportWithFile(error: unknown, tunnel: URL, signal: AbortSignal): Promise<string> {
  const eventId = newEventId();
  const { name: type, message: value } = error instanceof Error ? error : new Error(String(error));
  const event = {
    event_id: eventId,
    timestamp: Date.now() / 1000,
    environment: "tour",
    transaction: "/try/attachment",
    exception: { values: [{ type, value }] },
  };
  const file = {
    header: { type: "attachment", filename: "prices.csv", contentType: "text/csv" },
    payload: new TextEncoder().encode(priceList),
  };
  const body = Uint8Array.from(writeEnvelope({ eventId }, [jsonItem("event", event), file]));
  const answer = await fetch(tunnel, { method: "POST", body, signal });
  if (!answer.ok) throw new Error(`The report was refused: ${answer.status}`);
  return digestOf(eventId);
}
