import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { application, buildApp, type ReceivedItem, receiver, startBuiltApp } from "../kit/index.ts";
import { smallPostgres } from "../kit/small-postgres.ts";

const app = application({
  "holdfast.config.ts": `export default { report: { dsn: process.env.TEST_DSN, sampleRate: 1, release: "r1" } };`,
  "src/pages/orders/[id].tsx": `export default function Order({ data }) { return <h1>{data.one}</h1>; }`,
  "src/pages/orders/[id].server.ts": `
    import pg from "pg";
    import { load } from "holdfast/server";
    // One shared connection, so that most requests get it from another one.
    const pool = new pg.Pool({ connectionString: process.env.TEST_POSTGRES, max: 1 });
    export const data = load("/orders/[id]", async ({ params }) => {
      const { rows } = await pool.query("select one from orders_" + params.id + " where name = 'Ada Lovelace' and id = $1", [params.id]);
      const client = await pool.connect();
      try {
        await client.query({ text: "update orders_" + params.id });
        await client.query("fail_" + params.id).catch(() => undefined);
      } finally {
        client.release();
      }
      return { one: rows[0].one };
    });`,
});

interface SpanShape {
  span_id: string;
  parent_span_id: string;
  op: string;
  description: string;
  status: string;
  start_timestamp: number;
  timestamp: number;
  data: Record<string, unknown>;
}

describe("an application that uses pg", () => {
  beforeAll(() => buildApp(app));

  test("has its queries in the traces of the requests that made them, even if requests share a connection", async () => {
    await using postgres = await smallPostgres();
    const service = await receiver();
    onTestFinished(service.stop);
    await using running = await startBuiltApp({ app, env: { TEST_DSN: service.dsn, TEST_POSTGRES: postgres.url } });
    const ids = ["a", "b", "c", "d"];
    const pages = await Promise.all(ids.map(async (id) => (await fetch(`${running.url}/orders/${id}`)).text()));
    for (const page of pages) expect(page).toContain(">1</h1>");

    const traces = await service.until(({ type }) => type === "transaction", ids.length);
    const queriesOf = (id: string): SpanShape[] =>
      spansOf(traces.find(({ value }) => value.request.url === `/orders/${id}`)).filter(({ op }) => op === "db.query");
    for (const id of ids) {
      expect(queriesOf(id)).toMatchObject([
        { description: `select one from orders_${id} where name = ? and id = $1`, status: "ok" },
        { description: `update orders_${id}`, status: "ok" },
        { description: `fail_${id}`, status: "internal_error", data: { "db.system.name": "postgresql" } },
      ]);
    }
    const trace = traces[0];
    const load = spansOf(trace).find(({ op }) => op === "function.load");
    for (const query of spansOf(trace).filter(({ op }) => op === "db.query")) {
      expect(query.parent_span_id).toBe(load?.span_id);
      // The server takes 20 ms for each. The difference is the resolution of clocks.
      expect(query.timestamp - query.start_timestamp).toBeGreaterThan(0.015);
    }
  });
});

function spansOf(trace: ReceivedItem | undefined): SpanShape[] {
  return trace?.value.spans ?? [];
}
