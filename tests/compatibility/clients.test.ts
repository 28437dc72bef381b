import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { everyIssue } from "../../src/service/stores/filter-language.ts";
import { openSqliteReader } from "../../src/service/stores/sqlite/open-sqlite-store.ts";
import { dataFolder, RunningService } from "../faults/running-service.ts";

const program = fileURLToPath(new URL("./clients/send.js", import.meta.url));

describe("a real client", () => {
  it.each(["sentry-node-11", "sentry-node-7"])(
    "%s reports an error with its cause, a message and a trace",
    async (client) => {
      using folder = dataFolder();
      await using service = await RunningService.start(folder.path);
      const child = spawn(process.execPath, [program, client, service.dsn], { stdio: "inherit" });
      const [code] = await once(child, "exit");
      expect(code).toBe(0);
      await service.filed();

      const store = openSqliteReader({ folder: join(folder.path, "store") });
      const { issues } = await store.issues({ project: 1, filter: everyIssue, sort: "last-seen", limit: 100 });
      const failure = issues.find(({ title }) => title.includes(`the cart of ${client} is empty`));
      const message = issues.find(({ title }) => title.includes(`greetings from ${client}`));
      expect(failure).toMatchObject({
        type: "TypeError",
        level: "error",
        events: 1,
        visitors: 1,
        lastRelease: "shop@1.4.2",
      });
      expect(message).toMatchObject({ level: "warning", events: 1 });
      const event = await store.event(1, failure?.lastEventId ?? "");
      expect(event).toMatchObject({
        environment: "production",
        body: {
          kind: "whole",
          event: {
            tags: { client },
            exceptions: [{ type: "RangeError", value: "no items" }, { type: "TypeError" }],
            breadcrumbs: [{ category: "cart" }],
            user: { id: "4711" },
          },
        },
      });
      const [segment] = await store.segments({
        project: 1,
        route: "/checkout",
        from: 0,
        to: Date.now() + 60_000,
        limit: 1,
      });
      const trace = await store.trace(1, segment?.traceId ?? "");
      expect(trace.spans.map(({ name }) => name)).toEqual(expect.arrayContaining(["/checkout", "SELECT cart"]));
      store.close();
    },
  );
});
