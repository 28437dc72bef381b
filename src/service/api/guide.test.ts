import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { stripTypeScriptTypes } from "node:module";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HoldfastError } from "#errors";
import { sendWebResponse, webRequestOf } from "#http";
import { codeBlocksOf } from "../../../tests/docs/read-guide.ts";
import { type ApiService, openApiService } from "../../../tests/kit/api-service.ts";
import { createApiClient } from "./client.ts";

const guide = readFileSync(new URL("../../../docs/guides/api.md", import.meta.url), "utf8");
const blocks = codeBlocksOf(guide);

describe("the guide of the API", { timeout: 60_000 }, () => {
  let service: ApiService;
  let server: Server;
  let token: string;
  let url: string;

  beforeAll(async () => {
    service = await openApiService();
    await service.join("ada@shop.test", { 1: "owner" });
    token = await service.token({ kind: "person", email: "ada@shop.test" }, ["admin"]);
    server = createServer(async (incoming, response) => {
      const request = webRequestOf(incoming, url);
      if (request)
        await sendWebResponse({ incoming, response }, await service.handle(request, { address: "192.0.2.1" }));
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }, 60_000);

  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await service.close();
  });

  test("has examples that do what it says, from the first to the last", async () => {
    let ran = 0;
    for (const [at, { language, text }] of blocks.entries()) {
      if (language !== "sh") continue;
      const response = await runCurl(text);
      const body = await response.text();
      const answer = blocks[at + 1];
      expect([text, body]).toEqual([text, expect.not.stringContaining("api-failed")]);
      if (answer?.language === "json") expect(JSON.parse(body)).toMatchObject(JSON.parse(answer.text));
      else expect(body).toContain("The basket is empty");
      ran += 1;
    }
    expect(ran).toBe(11);
  });

  test("has code for TypeScript that runs as it stands", async () => {
    const { text = "" } = blocks.find(({ language }) => language === "ts") ?? {};
    const { openIssues, reopen } = run(text);
    expect(await reopen(1, 1)).toBe("open");
    expect(await openIssues(1)).toEqual(["The basket is empty"]);
    const client = createApiClient({ url, token });
    const refused = client.call("GET /projects/{project}", { params: { project: 2 } });
    await expect(refused).rejects.toMatchObject({ code: "api-unknown" });
    await expect(refused).rejects.toBeInstanceOf(HoldfastError);
    expect(await client.eventAsMarkdown(1, service.events.own)).toContain("The basket is empty");
    const lines: string[] = [];
    const list = client.all("GET /projects/{project}/logs", { params: { project: 1 }, query: { limit: 1 } });
    for await (const { body } of list) lines.push(body);
    expect(lines).toEqual(["basket failed", "basket opened"]);
  });

  /** The options of curl that the guide uses. */
  function runCurl(command: string): Promise<Response> {
    const words = [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
      (match) => match[1] ?? match[2] ?? match[3] ?? "",
    );
    const filled = words.map((word) =>
      word
        .replace("$HOLDFAST_TOKEN", token)
        .replace("$EVENT", service.events.own)
        .replace("https://errors.example", url),
    );
    const valuesOf = (option: string): string[] =>
      filled.flatMap((word, at) => (filled[at - 1] === option ? [word] : []));
    const [body] = valuesOf("-d");
    return fetch(filled.at(-1) ?? "", {
      method: valuesOf("-X")[0] ?? "GET",
      headers: valuesOf("-H").map((line): [string, string] => [
        line.slice(0, line.indexOf(":")),
        line.slice(line.indexOf(":") + 2),
      ]),
      ...(body !== undefined && { body }),
    });
  }

  /** Evaluates a module of the guide with the client of the sources. */
  function run(source: string) {
    const plain = stripTypeScriptTypes(source)
      .replace(/^import .*$/m, "")
      .replaceAll("export ", "")
      .replace("https://errors.example", url)
      .replace("process.env.HOLDFAST_TOKEN", JSON.stringify(token));
    const evaluate = new Function("createApiClient", `${plain}; return { openIssues, reopen };`);
    return evaluate(createApiClient) as {
      openIssues(project: number): Promise<string[]>;
      reopen(project: number, number: number): Promise<string>;
    };
  }
});
